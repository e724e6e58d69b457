import { agentAddressSettings, integer, setting, type ConfigOf } from '@plinth/config';
import { z } from 'zod';

/** Names of the installation's own are found by the platform itself, however it is reached. */
export const LOCAL_URL_TEMPLATE = 'https://deployment-{id}.{region}.localhost';

/** Requests are told apart by their host, so that a path would lead nowhere. */
const BASE_URL = /^https?:\/\/[^/]*\{id\}[^/]*\/?$/;

/** Where deployments are reached. In templates, `{id}` and `{region}` stand for the deployment's own. */
export const deploymentAddressSettings = {
  ...agentAddressSettings,
  deploymentUrlTemplate: setting(
    'PLINTH_DEPLOYMENT_URL_TEMPLATE',
    z.string().regex(BASE_URL, 'takes a URL without a path, with {id} in its host').optional(),
    "Base URL of a deployment's data API, with `{id}` and `{region}` in its host. Without it, addresses are paths below the address that the client uses: `http://127.0.0.1:4000/deployments/1`.",
  ),
  sqlHostTemplate: setting(
    'PLINTH_SQL_HOST_TEMPLATE',
    z.string().includes('{id}').default('deployment-{id}.{region}.localhost'),
    "Host of a deployment's SQL API, with `{id}` and `{region}`.",
  ),
  sqlPort: setting('PLINTH_SQL_PORT', integer(1, 65_535).default(15_432), 'Port of the SQL API.'),
};

export type DeploymentAddressConfig = ConfigOf<typeof deploymentAddressSettings>;
