import { AnchorAuditLog1700920000000 } from './migrations/pre-deploy/1700920000000-AnchorAuditLog.migration';
import { ChainAuditLog1700400000000 } from './migrations/pre-deploy/1700400000000-ChainAuditLog.migration';
import { CreateTenantSettings1700410000000 } from '../tenancy/migrations/pre-deploy/1700410000000-CreateTenantSettings.migration';
import { TenantSettings } from '../tenancy/tenant-settings/tenant-settings.entity';

export const auditEntities = [TenantSettings];

export const auditMigrations = [
  ChainAuditLog1700400000000,
  CreateTenantSettings1700410000000,
  AnchorAuditLog1700920000000,
];

const MONTHS_AHEAD = 3;

/** What housekeeping does for the audit log. */
export const auditUpkeep = [`select make_audit_partitions(${MONTHS_AHEAD})`];
