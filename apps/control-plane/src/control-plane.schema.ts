import { DropIntents1701200000000, type ServiceSchema } from '@plinth/database';
import { auditSchema } from './audit';
import { credentialsSchema } from './credentials';
import { deploymentsSchema } from './deployments';
import { integrationsSchema } from './integrations';
import type { DomainSchema } from './kernel';
import { peopleSchema } from './people';
import { provisioningSchema } from './provisioning';
import { rightsSchema } from './rights';
import { signInSchema } from './sign-in';
import { tenancySchema } from './tenancy';

/** Migrations run by their time. Of the two that share one, that of the audit log came first. */
const domains: readonly DomainSchema[] = [
  auditSchema,
  tenancySchema,
  peopleSchema,
  rightsSchema,
  credentialsSchema,
  signInSchema,
  deploymentsSchema,
  integrationsSchema,
  provisioningSchema,
];

export const controlPlaneSchema: ServiceSchema = {
  service: 'control-plane',
  extensions: ['pg_trgm', 'btree_gin'],
  entities: domains.flatMap(({ entities }) => entities),
  migrations: {
    preDeploy: domains.flatMap(({ migrations }) => migrations),
    postDeploy: [DropIntents1701200000000],
  },
  retention: domains.flatMap(({ retention = [] }) => retention),
  upkeep: domains.flatMap(({ upkeep = [] }) => upkeep),
};
