export { BaseRepository } from './base.repository';
export { Database, type DatabaseOptions, type LockedSession, type Statement, type SystemQuery } from './database';
export { UniqueViolation } from './database-errors';
export { Housekeeping } from './housekeeping';
export { claimLockName, idempotencyRetentionHours, stillRunning } from './idempotency-records';
export { migrate, type MigrationClass, type Migrations } from './migrate';
export { createSharedTables } from './migrations/shared-tables.migration';
export { applyOnce, type DeliveredEvent } from './outbox/inbox';
export { OutboxRelay } from './outbox/outbox-relay';
export { decodeCursor, encodeCursor, type Position } from './paging/cursor';
export { pageInMemory } from './paging/page-in-memory';
export {
  pageOf,
  pageRequest,
  type Page,
  type PageInfo,
  type PageRequest,
  type PagingQuery,
} from './paging/page-request';
export { SecretBox } from './secret-box';
export { serviceSchema, type ServiceSchema } from './service-schema';
export { declareGlobalTable, enableTenantIsolation, unprotectedTablesQuery } from './tenancy/tenant-isolation';
export type { Transaction } from './transaction';
