import { databaseSettings, processSettings, secretSetting, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';
import { accountSettings } from './accounts.config';
import { deploymentSettings } from './deployments.config';

/** Everything an operator can set on the control plane. */
export const controlPlaneSettings = {
  ...processSettings,
  ...databaseSettings,
  ...accountSettings,
  ...deploymentSettings,
  bootstrapApiKey: secretSetting(
    'PLINTH_BOOTSTRAP_API_KEY',
    z
      .string()
      .regex(/^sk-[0-9A-Za-z]{20,200}$/, 'takes sk- and at least 20 letters or digits')
      .optional(),
    'API key of the first administrator. When there is no tenant yet, the tenant `local` is made with it.',
  ),
  bootstrapHosts: setting(
    'PLINTH_BOOTSTRAP_HOSTS',
    z.string().default('localhost,127.0.0.1,::1'),
    'Host names of the tenant `local`, comma-separated.',
  ),
};

export type ControlPlaneConfig = ConfigOf<typeof controlPlaneSettings>;
