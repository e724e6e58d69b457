import type { ServiceSchema } from '@plinth/database';
import { accessEntities, accessMigrations } from './access-schema';
import { accountEntities, accountMigrations } from './accounts-schema';
import { ApiKey } from './api-keys/api-key.entity';
import { auditEntities, auditMigrations, auditUpkeep } from './audit-schema';
import { deploymentEntities, deploymentMigrations, deploymentRetention } from './deployments-schema';
import { integrationEntities, integrationMigrations, integrationRetention } from './integrations-schema';
import { CreateAccounts1700000000001 } from './migrations/pre-deploy/1700000000001-CreateAccounts.migration';
import { oauthEntities, oauthMigrations, oauthRetention } from './oauth-schema';
import { provisioningEntities, provisioningMigrations, provisioningRetention } from './provisioning-schema';
import { Tenant, TenantHost } from './tenants/tenant.entity';
import { User } from './users/user.entity';

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
