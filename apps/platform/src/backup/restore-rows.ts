import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import {
  continueAfter,
  isEmpty,
  makePartitions,
  migrationsOf,
  sharedMigrations,
  provisionUpTo,
  readRows,
  requireKnown,
  tablesOf,
  UnknownMigrationsError,
  withoutTriggers,
  type ArchivedTable,
} from '@plinth/database';
import { own } from '@plinth/streams';
import type { Client } from 'pg';
import { BackupError } from './backup-error';
import { rowsEntry, type BackupHeader } from './backup-format';
import { serviceSchemas } from './service-schemas';

type ServiceName = (typeof serviceSchemas)[number]['service'];

/** @throws BackupError when a newer release has made the backup */
export function requireKnownRelease({ release, services }: BackupHeader): void {
  try {
    for (const schema of serviceSchemas) requireKnown(schema, services[schema.service]?.migrations ?? []);
    const known = new Set<string>(serviceSchemas.map(({ service }) => service));
    const others = Object.keys(services).filter((name) => !known.has(name));
    if (others.length > 0) throw new UnknownMigrationsError(others);
  } catch (error) {
    if (!(error instanceof UnknownMigrationsError)) throw error;
    throw new BackupError(
      `The backup was made by the newer release ${release}: restore it with that release (${error.unknown.join(', ')})`,
    );
  }
}

/**
 * Makes the schemas as they were when the backup was made, in a database that has no rows of a platform. The next start
 * brings them up to date, as after any update.
 *
 * @throws BackupError when there are rows, or tables of another release
 */
export async function makeSchemas(client: Client, url: string, header: BackupHeader): Promise<void> {
  for (const { service } of serviceSchemas) await requireEmpty(client, service, header);
  for (const schema of serviceSchemas) {
    const migrations = header.services[schema.service]?.migrations ?? [];
    if (migrations.length > 0) await provisionUpTo(url, schema, migrations);
  }
}

async function requireEmpty(client: Client, service: ServiceName, header: BackupHeader): Promise<void> {
  await client.query('begin');
  for (const table of await tablesOf(client, service)) {
    if (await isEmpty(client, table)) continue;
    throw new BackupError(`The target is not empty: ${table.schema}.${table.name} has rows. Nothing was changed`);
  }
  await client.query('rollback');
  const ran = await migrationsOf(client, service);
  const wanted = new Set([
    ...sharedMigrations.map(({ name }) => name),
    ...(header.services[service]?.migrations ?? []),
  ]);
  if (ran.some((name) => !wanted.has(name))) {
    const schema = service.replaceAll('-', '_');
    throw new BackupError(
      `The target has the empty tables of a later release than ${header.release}: take another database, or drop the schema ${schema}`,
    );
  }
}

/** @throws BackupError unless the platform that is to take a tenant over has run the migrations that the tenant's had */
export async function requireSameRelease(client: Client, { services, release }: BackupHeader): Promise<void> {
  for (const { service } of serviceSchemas) {
    const ran = (await migrationsOf(client, service)).sort();
    const wanted = [...(services[service]?.migrations ?? [])].sort();
    if (ran.join() === wanted.join()) continue;
    throw new BackupError(
      `The tenant's platform ran release ${release}, this one another: bring both to the same release, and back the tenant up anew`,
    );
  }
}

/** Puts rows into tables, in the transaction that the caller has begun. */
export class RowRestore {
  private readonly tables = new Map<string, { service: ServiceName; table: ArchivedTable }>();

  private constructor(
    private readonly client: Client,
    private readonly header: BackupHeader,
  ) {}

  static async begin(client: Client, header: BackupHeader): Promise<RowRestore> {
    const restore = new RowRestore(client, header);
    for (const { service } of serviceSchemas) {
      for (const table of await tablesOf(client, service)) {
        restore.tables.set(rowsEntry(table.schema, table.name), { service, table });
      }
    }
    return restore;
  }

  /** @throws BackupError when there is such a row in the target */
  async take(name: string, content: Readable): Promise<number> {
    const { client } = this;
    const found = this.tables.get(name);
    const archived = found && this.header.services[found.service]?.tables[found.table.name];
    if (!archived) throw new BackupError(`The backup has rows of a table that is not there: ${name}`);
    const { table, service } = found;
    // Beside others, a tenant's events of earlier months go where there is room for all times.
    if (!this.header.tenant) await makePartitions(client, table, archived.partitions, service);
    const source = content.pipe(own(createGunzip()));
    const rows = await withoutTriggers(client, table, () =>
      readRows(client, table, archived.columns, source).catch((error: unknown) => {
        throw collisionOf(error, table) ?? error;
      }),
    );
    await continueAfter(client, table, archived.sequences);
    return rows;
  }
}

function collisionOf(error: unknown, { schema, name }: ArchivedTable): BackupError | undefined {
  const { code, detail } = error as { code?: unknown; detail?: unknown };
  if (code !== '23505') return undefined;
  return new BackupError(
    `The target has a row already that the backup has too: ${schema}.${name}, ${String(detail)} ` +
      'A restore keeps every id. Take a platform without them, such as an empty one. Nothing was changed',
  );
}
