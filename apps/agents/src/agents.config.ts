import { databaseSettings, processSettings } from '@plinth/config';
import { providerSettings } from './provider';

/** Everything an operator can set on the agents service. */
export const agentsSettings = {
  ...processSettings,
  ...databaseSettings,
  ...providerSettings,
};
