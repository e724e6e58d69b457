import type { ServiceName } from '@plinth/contract';
import { findMissingKeys, migrationState, SecretBox, type ServiceSchema } from '@plinth/database';
import { own } from '@plinth/streams';
import { Client } from 'pg';
import { fail, lineOf, ok, warn, type Finding } from './finding';

const CONNECT_MS = 5_000;
const OLDEST = 15;
/** Leases, tokens and codes that people type in bear no more. */
const SKEW_MS = 2_000;

async function queried<T>(url: string, text: string): Promise<{ row: T; tookMs: number }> {
  const client = own(
    new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS }),
  );
  try {
    await client.connect();
    const startedAt = performance.now();
    const { rows } = await client.query<T & object>(text);
    return { row: rows[0] as T, tookMs: performance.now() - startedAt };
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function databaseFinding(url: string): Promise<Finding> {
  const { host } = new URL(url);
  try {
    const { row } = await queried<{ version: string }>(url, `select current_setting('server_version') as version`);
    const major = Number.parseInt(row.version, 10);
    if (major < OLDEST) return fail(`PostgreSQL ${row.version} at ${host}`, `use PostgreSQL ${OLDEST} or newer`);
    return ok(`PostgreSQL ${row.version} at ${host}`);
  } catch (error) {
    return fail(`${host}: ${lineOf(error)}`, 'start PostgreSQL, or correct PLINTH_DATABASE_URL');
  }
}

export async function migrationsFinding(url: string, schemas: readonly ServiceSchema[]): Promise<Finding> {
  const states = await Promise.all(schemas.map((schema) => migrationState(url, schema)));
  const later = states.flatMap(({ unknown }) => unknown);
  const pending = states.flatMap(({ pending: names }) => names);
  if (later.length > 0)
    return fail(`of a later version: ${later.join(', ')}`, 'use the version that ran them, or newer');
  if (pending.length > 0) return warn(`${pending.length} to run`, 'start the services of this version: they run them');
  return ok(`all run, in ${states.length} schemas`);
}

export async function keysFinding(
  url: string,
  services: readonly ServiceName[],
  keys: readonly string[],
): Promise<Finding> {
  const secrets = new SecretBox(keys);
  const missing = await findMissingKeys(url, services, secrets);
  const configured = `configured: ${secrets.keyIds.join(', ')}`;
  if (missing.length === 0) return ok(`they open all that is sealed; ${configured}`);
  const lines = missing.map(({ keyId, places }) => `${keyId} (${places.join(', ')})`);
  const todo = 'put what is missing behind PLINTH_ENCRYPTION_KEYS; it is where the database was used with before';
  return fail(`missing: ${lines.join('; ')}; ${configured}`, todo);
}

/** Against the database's: its clock counts leases, and that of this machine the lifetimes of tokens. */
export async function clockFinding(url: string): Promise<Finding> {
  const { row, tookMs } = await queried<{ now: number }>(
    url,
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  );
  const skewMs = Math.round(Math.abs(Date.now() - tookMs / 2 - row.now));
  const found = `${skewMs} ms from that of the database`;
  return skewMs > SKEW_MS + tookMs ? fail(found, 'synchronise both clocks, by NTP') : ok(found);
}
