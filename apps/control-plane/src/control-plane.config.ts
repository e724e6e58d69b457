import { databaseSettings, processSettings, secretSetting, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';
import { accountSettings } from './sign-in/sign-in.config';
import { auditSettings } from './audit/audit.config';
import { deploymentSettings } from './deployments/deployments.config';
import { oauthIntegrationSettings } from './integrations/integrations.config';
import { VersionCatalogue } from './deployments/versions/version-catalogue';

/** Everything an operator can set on the control plane. */
export const controlPlaneSettings = {
  ...processSettings,
  ...databaseSettings,
  ...accountSettings,
  ...deploymentSettings,
  ...oauthIntegrationSettings,
  ...auditSettings,
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

export type ControlPlaneConfig = ConfigOf<typeof controlPlaneSettings>;

export function controlPlaneProblems({ versionCatalogueFile }: ControlPlaneConfig): readonly string[] {
  try {
    VersionCatalogue.load(versionCatalogueFile);
    return [];
  } catch (error) {
    return [`PLINTH_VERSION_CATALOGUE_FILE: ${(error as Error).message}`];
  }
}
