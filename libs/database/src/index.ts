export * from './archive';
export { connectionSettings } from './connection-settings';
export { advisoryLockId } from './advisory-lock';
export { currentAuditEvent, recordAction } from './audit-event';
export { BaseRepository } from './base-repository';
export type { NamedStatement } from './named-statement';
export { copyCsv, type CsvRows } from './copy-out';
export { Database, type DatabaseOptions, type DeliveredEvent } from './database';
export { UniqueViolation } from './database-error';
export { Housekeeping } from './housekeeping';
export { requireSameRequest, type Claim } from './idempotency';
export { findMissingKeys, MissingKeysError, type MissingKey } from './key-check';
export { byId, cursorIn, inMemoryList, keysetList, type KeysetList } from './keyset-list';
export { containing, literally } from './like-pattern';
export type { Literal } from './literal';
export { PlinthNamingStrategy } from './naming-strategy';
export { outboxNotice, OutboxNotices } from './outbox-notices';
export { OutboxRelay, type OutboxRelayOptions } from './outbox-relay';
export {
  pageInfo,
  resolvePaging,
  type CursorPosition,
  type Filters,
  type OffsetPaging,
  type Page,
  type PageInfo,
  type Paging,
  type PagingLimits,
  type PagingParameters,
} from './paging';
export { migrationState, type MigrationState } from './migration-state';
export { provision, type MigrationPhase } from './provision';
export { findSchemaDrift } from './schema-drift';
export type { Reader } from './reader';
export { SecretBox } from './secret-box';
export {
  namesOf,
  type MigrationClass,
  type RetentionRule,
  type ServiceNames,
  type ServiceSchema,
} from './service-schema';
export { Session } from './session';
export { DropIntents1701200000000 } from './drop-intents.migration';
export { sharedMigrations } from './shared-migrations';
export { backOffSeconds, TaskRepository, taskStoreOf, type RowChange, type TaskTable } from './task-repository';
export { declareGlobalTable, enableTenantIsolation } from './tenant-isolation';
export type { Step } from './mutation';
export { managerFor, type Transaction } from './transaction';
export { findUnprotectedTables } from './unprotected-tables';
