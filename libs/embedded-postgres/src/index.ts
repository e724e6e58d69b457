export { findRunningPostgres } from './find-running-postgres';
export type { PostgresLogger } from './logger';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start-embedded-postgres';
export { EmbeddedPostgresError } from './start-problem';
