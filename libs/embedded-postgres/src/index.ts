export { EmbeddedPostgresError } from './start-problem';
export { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresOptions } from './start-embedded-postgres';
