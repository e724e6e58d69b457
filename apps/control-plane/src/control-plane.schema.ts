import type { ServiceSchema } from '@plinth/database';
import { accessEntities, accessMigrations } from './rights/rights.schema';
import { accountEntities, accountMigrations } from './people/people.schema';
import { ApiKey } from './credentials/api-keys/api-key.entity';
import { auditEntities, auditMigrations, auditUpkeep } from './audit/audit.schema';
import { deploymentEntities, deploymentMigrations, deploymentRetention } from './deployments/deployments.schema';
import { integrationEntities, integrationMigrations, integrationRetention } from './integrations/integrations.schema';
import { CreateAccounts1700000000001 } from './tenancy/migrations/pre-deploy/1700000000001-CreateAccounts.migration';
import { oauthEntities, oauthMigrations, oauthRetention } from './sign-in/sign-in.schema';
import {
  provisioningEntities,
  provisioningMigrations,
  provisioningRetention,
} from './provisioning/provisioning.schema';
import { Tenant, TenantHost } from './tenancy/tenants/tenant.entity';
import { User } from './people/users/user.entity';

export const controlPlaneSchema: ServiceSchema = {
  service: 'control-plane',
  entities: [
    ...[Tenant, TenantHost, User, ApiKey],
    ...accountEntities,
    ...auditEntities,
    ...accessEntities,
    ...deploymentEntities,
    ...oauthEntities,
    ...integrationEntities,
    ...provisioningEntities,
  ],
  migrations: {
    preDeploy: [
      CreateAccounts1700000000001,
      ...deploymentMigrations,
      ...accountMigrations,
      ...auditMigrations,
      ...accessMigrations,
      ...oauthMigrations,
      ...integrationMigrations,
      ...provisioningMigrations,
    ],
    postDeploy: [],
  },
  retention: [...deploymentRetention, ...oauthRetention, ...integrationRetention, ...provisioningRetention],
  upkeep: auditUpkeep,
};
