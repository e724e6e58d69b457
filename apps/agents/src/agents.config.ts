import { agentAddressSettings, databaseSettings, processSettings } from '@plinth/config';
import { providerSettings } from './provider';
import { turnSettings } from './turns';

/** Everything an operator can set on the agents service. */
export const agentsSettings = {
  ...processSettings,
  ...databaseSettings,
  ...agentAddressSettings,
  ...providerSettings,
  ...turnSettings,
};
