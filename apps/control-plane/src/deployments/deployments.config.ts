import { deploymentAddressSettings } from './deployments/deployment-addresses.config';
import { regionSettings } from './regions/regions.config';
import { usageAnalyticsSettings } from './usage-analytics/usage-analytics.config';
import { VersionCatalogue } from './versions/version-catalogue';
import { versionSettings, type VersionConfig } from './versions/versions.config';

/** Settings of what belongs to deployments. */
export const deploymentSettings = {
  ...regionSettings,
  ...versionSettings,
  ...deploymentAddressSettings,
  ...usageAnalyticsSettings,
};

/** What is wrong with files that settings name. */
export function deploymentProblems({ versionCatalogueFile }: VersionConfig): readonly string[] {
  try {
    VersionCatalogue.load(versionCatalogueFile);
    return [];
  } catch (error) {
    return [`PLINTH_VERSION_CATALOGUE_FILE: ${(error as Error).message}`];
  }
}
