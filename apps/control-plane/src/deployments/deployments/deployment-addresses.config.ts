import { integer, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

/** Where deployments are reached. In templates, `{id}` and `{region}` stand for the deployment's own. */
export const deploymentAddressSettings = {
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

export type DeploymentAddressConfig = ConfigOf<typeof deploymentAddressSettings>;
