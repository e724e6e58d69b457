import { databaseSettings, processSettings } from '@plinth/config';

/** Everything an operator can set on the workspace service. */
export const workspaceSettings = { ...processSettings, ...databaseSettings };
