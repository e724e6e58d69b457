import { addressSettings, databaseSettings, processSettings } from '@plinth/config';
import { auditSettings } from './audit';
import { deploymentSettings } from './deployments';
import { oauthIntegrationSettings } from './integrations';
import { operatorSettings } from './operator';
import { signInSettings } from './sign-in';

/** Everything an operator can set on the control plane. */
export const controlPlaneSettings = {
  ...processSettings,
  ...databaseSettings,
  ...addressSettings,
  ...signInSettings,
  ...deploymentSettings,
  ...oauthIntegrationSettings,
  ...auditSettings,
  ...operatorSettings,
};
