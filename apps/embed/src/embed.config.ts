import { databaseSettings, processSettings } from '@plinth/config';

/** Everything an operator can set on the embed service. */
export const embedSettings = { ...processSettings, ...databaseSettings };
