import type { ServiceName } from '@plinth/contract';
import { own } from '@plinth/streams';
import { Client } from 'pg';
import { connectionSettings } from './connection-settings';
import { translateError } from './database-error';
import { isSealedColumn } from './sealed-columns';
import type { SecretBox } from './secret-box';
import { namesOf, type ServiceNames } from './service-schema';

/** A key that secrets are sealed under, and that is not configured. */
export interface MissingKey {
  keyId: string;
  /** Columns with such secrets: `schema.table.column`. */
  places: string[];
}

/** Thrown when a database is opened with other keys than its secrets are sealed under. Its message holds no key. */
export class MissingKeysError extends Error {
  override readonly name = 'MissingKeysError';

  constructor(
    readonly missing: readonly MissingKey[],
    configured: readonly string[],
  ) {
    const lines = missing.map(({ keyId, places }) => `  key ${keyId} of ${places.join(', ')}`);
    super(
      `The database holds secrets that no configured key opens:\n${lines.join('\n')}\n` +
        `PLINTH_ENCRYPTION_KEYS has ${configured.join(', ')}. Put what is missing behind it: it is in the file ` +
        'encryption-keys of the data folder, or in the PLINTH_ENCRYPTION_KEYS of the services, that this database was used ' +
        'with before. docs/operations.md, "Keys that seal secrets", says how to tell the id of a key',
    );
  }
}

/**
 * Finds out whether the configured keys open what a service has stored, and notes the one that seals from now on.
 *
 * Keys are noted before anything is sealed under them, so secrets are looked through only for noted keys that are not
 * configured, and once in a schema from before keys were noted.
 *
 * @param url connection string of the owner, whose schema is up to date
 * @throws MissingKeysError when a secret is left that they do not open
 */
export async function requireKeys(url: string, names: ServiceNames, secrets: SecretBox): Promise<void> {
  await asSystem(url, names, async (client) => {
    const { missing, found } = await compare(client, names, secrets);
    if (missing.length > 0) throw new MissingKeysError(missing, secrets.keyIds);
    const [current = ''] = secrets.keyIds;
    await client.query(
      'insert into encryption_key (key_id) select distinct unnest($1::text[]) on conflict (key_id) do nothing',
      [[current, ...found]],
    );
  });
}

/** As {@link requireKeys}, of the services that have a schema, and without a trace. */
export async function findMissingKeys(
  url: string,
  services: readonly ServiceName[],
  secrets: SecretBox,
): Promise<MissingKey[]> {
  const schemas = await schemasIn(url);
  const all: MissingKey[] = [];
  for (const names of services.map(namesOf).filter(({ schema }) => schemas.has(schema))) {
    all.push(...(await asSystem(url, names, async (client) => (await compare(client, names, secrets)).missing)));
  }
  return all;
}

interface Comparison {
  missing: MissingKey[];
  /** Ids of keys that were not noted and that secrets are sealed under. */
  found: string[];
}

async function compare(client: Client, { schema }: ServiceNames, secrets: SecretBox): Promise<Comparison> {
  const noted = await notedKeys(client);
  const columns = await sealedColumns(client, schema);
  const found = noted.length === 0 ? await keysIn(client, columns) : [];
  const strange = [...noted, ...found].filter((keyId) => !secrets.keyIds.includes(keyId));
  const missing: MissingKey[] = [];
  for (const keyId of strange) {
    const places: string[] = [];
    for (const column of columns) {
      if (await isSealedUnder(client, column, keyId)) places.push(`${schema}.${column.table}.${column.column}`);
    }
    if (places.length > 0) missing.push({ keyId, places });
  }
  return { missing, found };
}

async function notedKeys(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ has: boolean }>(
    "select to_regclass('encryption_key') is not null as has",
  );
  if (!tables[0]?.has) return [];
  const { rows } = await client.query<{ keyId: string }>('select key_id as "keyId" from encryption_key');
  return rows.map(({ keyId }) => keyId);
}

interface SealedColumn {
  /** Both quoted where they have to be. */
  table: string;
  column: string;
}

async function sealedColumns(client: Client, schema: string): Promise<SealedColumn[]> {
  const { rows } = await client.query<SealedColumn & { tableName: string; columnName: string }>(
    `select c.relname as "tableName", a.attname as "columnName",
       quote_ident(c.relname) as table, quote_ident(a.attname) as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = $1::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
     order by 1, 2`,
    [schema],
  );
  return rows.filter(({ tableName, columnName }) => isSealedColumn(tableName, columnName));
}

async function keysIn(client: Client, columns: readonly SealedColumn[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const { table, column } of columns) {
    const { rows } = await client.query<{ keyId: string }>(
      `select distinct split_part(${column}, '.', 1) as "keyId" from ${table} where ${column} is not null`,
    );
    for (const { keyId } of rows) ids.add(keyId);
  }
  return [...ids];
}

async function isSealedUnder(client: Client, { table, column }: SealedColumn, keyId: string): Promise<boolean> {
  const { rowCount } = await client.query(`select from ${table} where starts_with(${column}, $1) limit 1`, [
    `${keyId}.`,
  ]);
  return rowCount !== 0;
}

async function schemasIn(url: string): Promise<ReadonlySet<string>> {
  return connected(url, {}, async (client) => {
    const { rows } = await client.query<{ name: string }>('select nspname as name from pg_namespace');
    return new Set(rows.map(({ name }) => name));
  });
}

/** Row-level security shows the owner nothing. */
const asSystem = <T>(url: string, { schema, systemRole }: ServiceNames, work: (client: Client) => Promise<T>) =>
  connected(url, { role: systemRole, search_path: schema }, work);

async function connected<T>(
  url: string,
  parameters: Record<string, string>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = own(new Client(connectionSettings(url, { ...parameters, statement_timeout: SCAN_MS })));
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw translateError(error);
  } finally {
    await client.end();
  }
}

/** Longest time to look through one column, in milliseconds. */
const SCAN_MS = 60_000;
