import { NoteEncryptionKeys1701700000000 } from './note-encryption-keys.migration';
import type { MigrationClass } from './service-schema';
import { SharedTables1700000000000 } from './shared-tables.migration';

/** What makes the tables that this library keeps in every service's schema; they run before the service's own. */
export const sharedMigrations: readonly MigrationClass[] = [SharedTables1700000000000, NoteEncryptionKeys1701700000000];
