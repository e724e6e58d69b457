import { integer, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';
import { regionList } from './regions/region-list';

/** Settings of what belongs to deployments. In templates, `{id}` and `{region}` stand for the deployment's own. */
export const deploymentSettings = {
  regions: setting(
    'PLINTH_REGIONS',
    regionList,
    'Regions that tenants may use: a JSON array of objects with `name`, and optionally `title` and `provider`.',
  ),
  versionCatalogueFile: setting(
    'PLINTH_VERSION_CATALOGUE_FILE',
    z.string().optional(),
    'File with the engine versions on offer; the catalogue that is shipped when absent.',
  ),
  deploymentUrlTemplate: setting(
    'PLINTH_DEPLOYMENT_URL_TEMPLATE',
    z.string().includes('{id}').default('https://deployment-{id}.{region}.localhost'),
    "Base URL of a deployment's data API, with `{id}` and `{region}`.",
  ),
  sqlHostTemplate: setting(
    'PLINTH_SQL_HOST_TEMPLATE',
    z.string().includes('{id}').default('deployment-{id}.{region}.localhost'),
    "Host of a deployment's SQL API, with `{id}` and `{region}`.",
  ),
  sqlPort: setting('PLINTH_SQL_PORT', integer(1, 65_535).default(15_432), 'Port of the SQL API.'),
};

export type DeploymentConfig = ConfigOf<typeof deploymentSettings>;
