import { databaseSettings, processSettings } from '@plinth/config';

/** Everything an operator can set on the agents service. */
export const agentsSettings = {
  ...processSettings,
  ...databaseSettings,
};
