export { findRunningPostgres } from './find-running-postgres';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start-embedded-postgres';
export { EmbeddedPostgresError } from './start-problem';
