import { secretSetting, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

export const usageAnalyticsSettings = {
  usageAnalyticsUrl: setting(
    'PLINTH_USAGE_ANALYTICS_URL',
    z
      .string()
      .regex(/^https?:\/\//, 'takes an address with http:// or https://')
      .default('https://usage-analytics.localhost'),
    'Base URL of the deployment that holds the usage data of all tenants.',
  ),
  usageAnalyticsDeploymentId: setting(
    'PLINTH_USAGE_ANALYTICS_DEPLOYMENT_ID',
    z.coerce.number().int().min(0).default(0),
    'Id of that deployment; 0 when it is not one of this installation.',
  ),
  usageAnalyticsSecret: secretSetting(
    'PLINTH_USAGE_ANALYTICS_SECRET',
    z.string().min(32).optional(),
    'Secret with which that deployment verifies tokens; derived from the encryption key when absent.',
  ),
};

export type UsageAnalyticsConfig = ConfigOf<typeof usageAnalyticsSettings>;
