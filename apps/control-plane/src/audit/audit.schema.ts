import type { DomainSchema } from '../kernel';
import { ChainAuditLog1700400000000 } from './migrations/pre-deploy/1700400000000-ChainAuditLog.migration';
import { AnchorAuditLog1700920000000 } from './migrations/pre-deploy/1700920000000-AnchorAuditLog.migration';

const MONTHS_AHEAD = 3;

/** What the control plane keeps about what happened. */
export const auditSchema = {
  entities: [],
  migrations: [ChainAuditLog1700400000000, AnchorAuditLog1700920000000],
  upkeep: [`select make_audit_partitions(${MONTHS_AHEAD})`],
} satisfies DomainSchema;
