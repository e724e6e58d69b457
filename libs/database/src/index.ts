export { recordAction } from './audit-event';
export { BaseRepository } from './base-repository';
export type { NamedStatement } from './connection-pool';
export { copyCsv, type CsvRows, type Literal } from './copy-out';
export { Database, type DatabaseOptions, type DeliveredEvent } from './database';
export { UniqueViolation } from './database-error';
export { GitJournal, type JournalHandlers, type PlannedWrite } from './git-journal';
export { Housekeeping } from './housekeeping';
export type { Intent, RefChange } from './intent-store';
export { PlinthNamingStrategy } from './naming-strategy';
export { OutboxRelay, type OutboxRelayOptions } from './outbox-relay';
export {
  decodeCursor,
  encodeCursor,
  pageInfo,
  resolveCursorPaging,
  resolvePaging,
  toPage,
  type CursorPaging,
  type CursorPosition,
  type Filters,
  type Page,
  type PageInfo,
  type OffsetPaging,
  type Paging,
  type PagingParameters,
} from './paging';
export { provision, type MigrationPhase } from './provision';
export { findSchemaDrift } from './schema-drift';
export { SecretBox } from './secret-box';
export {
  namesOf,
  type MigrationClass,
  type RetentionRule,
  type ServiceNames,
  type ServiceSchema,
} from './service-schema';
export { SharedTables1700000000000 } from './shared-tables.migration';
export { declareGlobalTable, enableTenantIsolation, findUnprotectedTables } from './tenant-isolation';
export { managerFor, type Transaction } from './transaction';
