import type { DomainSchema } from '../kernel';
import { TenantSettings } from './tenant-settings/tenant-settings.entity';
import { Tenant, TenantHost } from './tenants/tenant.entity';
import { TenantDeletion } from './tenants/tenant-deletion.entity';
import { CreateAccounts1700000000001 } from './migrations/pre-deploy/1700000000001-CreateAccounts.migration';
import { CreateTenantSettings1700410000000 } from './migrations/pre-deploy/1700410000000-CreateTenantSettings.migration';
import { AllowPersonalApiKeys1700410000001 } from './migrations/pre-deploy/1700410000001-AllowPersonalApiKeys.migration';
import { SwitchEmbedding1701400000001 } from './migrations/pre-deploy/1701400000001-SwitchEmbedding.migration';
import { AllowEmbedOrigins1701500000001 } from './migrations/pre-deploy/1701500000001-AllowEmbedOrigins.migration';
import { SwitchPython1701500000003 } from './migrations/pre-deploy/1701500000003-SwitchPython.migration';
import { SwitchCreatorMode1701400000002 } from './migrations/pre-deploy/1701400000002-SwitchCreatorMode.migration';
import { RecordTenantDeletions1701700000000 } from './migrations/pre-deploy/1701700000000-RecordTenantDeletions.migration';

/** What the control plane keeps about tenants and how they are set up. */
export const tenancySchema = {
  entities: [Tenant, TenantHost, TenantDeletion, TenantSettings],
  migrations: [
    CreateAccounts1700000000001,
    CreateTenantSettings1700410000000,
    AllowPersonalApiKeys1700410000001,
    SwitchEmbedding1701400000001,
    AllowEmbedOrigins1701500000001,
    SwitchPython1701500000003,
    SwitchCreatorMode1701400000002,
    RecordTenantDeletions1701700000000,
  ],
} satisfies DomainSchema;
