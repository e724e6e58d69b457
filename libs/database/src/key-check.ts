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

/** Runs a statement under the system role of a service, to which row-level security shows everything, in its schema. */
export type AskAsSystem = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/**
 * Finds out whether the configured keys open what a service has stored, and notes the one that seals from now on.
 *
 * Keys are noted before anything is sealed under them, so secrets are looked through only for noted keys that are not
 * configured, and once in a schema from before keys were noted.
 *
 * @param ask of one transaction, in a schema that is up to date
 * @throws MissingKeysError when a secret is left that they do not open
 */
export async function requireKeys(ask: AskAsSystem, names: ServiceNames, secrets: SecretBox): Promise<void> {
  await ask(`set local statement_timeout = ${SCAN_MS}`);
  const { missing, unnoted } = await compare(ask, names, secrets);
  if (missing.length > 0) throw new MissingKeysError(missing, secrets.keyIds);
  if (unnoted.length === 0) return;
  await ask('insert into encryption_key (key_id) select distinct unnest($1::text[]) on conflict (key_id) do nothing', [
    unnoted,
  ]);
}

/**
 * As {@link requireKeys}, of the services that have a schema, and without a trace.
 *
 * @param url connection string of the owner
 */
export async function findMissingKeys(
  url: string,
  services: readonly ServiceName[],
  secrets: SecretBox,
): Promise<MissingKey[]> {
  return connected(url, async (ask) => {
    const schemas = new Set((await ask<{ name: string }>('select nspname as name from pg_namespace')).map(nameOf));
    const all: MissingKey[] = [];
    for (const names of services.map(namesOf).filter(({ schema }) => schemas.has(schema))) {
      await ask(`set role ${names.systemRole}`);
      await ask(`set search_path to ${names.schema}`);
      all.push(...(await compare(ask, names, secrets)).missing);
    }
    return all;
  });
}

const nameOf = ({ name }: { name: string }): string => name;

interface Comparison {
  missing: MissingKey[];
  /** Ids of keys to note: of the one that seals from now on, and of those that secrets were found to be sealed under. */
  unnoted: string[];
}

async function compare(ask: AskAsSystem, { schema }: ServiceNames, secrets: SecretBox): Promise<Comparison> {
  const isStrange = (keyId: string): boolean => !secrets.keyIds.includes(keyId);
  const noted = await notedKeys(ask);
  const isLookedThrough = noted.length === 0 || noted.some(isStrange);
  const columns = isLookedThrough ? await sealedColumns(ask, schema) : [];
  const found = noted.length === 0 ? await keysIn(ask, columns) : [];
  const missing: MissingKey[] = [];
  for (const keyId of [...noted, ...found].filter(isStrange)) {
    const places: string[] = [];
    for (const column of columns) {
      if (await isSealedUnder(ask, column, keyId)) places.push(`${schema}.${column.table}.${column.column}`);
    }
    if (places.length > 0) missing.push({ keyId, places });
  }
  return { missing, unnoted: [...secrets.keyIds.slice(0, 1), ...found].filter((keyId) => !noted.includes(keyId)) };
}

async function notedKeys(ask: AskAsSystem): Promise<string[]> {
  const tables = await ask<{ has: boolean }>("select to_regclass('encryption_key') is not null as has");
  if (!tables[0]?.has) return [];
  return (await ask<{ keyId: string }>('select key_id as "keyId" from encryption_key')).map(({ keyId }) => keyId);
}

interface SealedColumn {
  /** Both quoted where they have to be. */
  table: string;
  column: string;
}

async function sealedColumns(ask: AskAsSystem, schema: string): Promise<SealedColumn[]> {
  const columns = await ask<SealedColumn & { tableName: string; columnName: string }>(
    `select c.relname as "tableName", a.attname as "columnName",
       quote_ident(c.relname) as table, quote_ident(a.attname) as column
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = $1::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
     order by 1, 2`,
    [schema],
  );
  return columns.filter(({ tableName, columnName }) => isSealedColumn(tableName, columnName));
}

async function keysIn(ask: AskAsSystem, columns: readonly SealedColumn[]): Promise<string[]> {
  const ids = new Set<string>();
  for (const { table, column } of columns) {
    const keys = await ask<{ keyId: string }>(
      `select distinct split_part(${column}, '.', 1) as "keyId" from ${table} where ${column} is not null`,
    );
    for (const { keyId } of keys) ids.add(keyId);
  }
  return [...ids];
}

async function isSealedUnder(ask: AskAsSystem, { table, column }: SealedColumn, keyId: string): Promise<boolean> {
  const rows = await ask(`select from ${table} where starts_with(${column}, $1) limit 1`, [`${keyId}.`]);
  return rows.length > 0;
}

async function connected<T>(url: string, work: (ask: AskAsSystem) => Promise<T>): Promise<T> {
  const client = own(new Client(connectionSettings(url, { statement_timeout: SCAN_MS })));
  try {
    await client.connect();
    return await work(async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query<Row>(text, [...values]);
      return rows;
    });
  } catch (error) {
    throw translateError(error);
  } finally {
    await client.end();
  }
}

/** Longest time to look through one column, in milliseconds. */
const SCAN_MS = 60_000;
