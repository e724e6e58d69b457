import { connectionSettings } from '@plinth/database';
import { own } from '@plinth/streams';
import { Client } from 'pg';

const CONNECT_MS = 10_000;

/** Statements of a backup take as long as they take; what it waits for has deadlines of its own. */
const PATIENT = { statement_timeout: 0, idle_in_transaction_session_timeout: 0, timezone: 'UTC', datestyle: 'ISO' };

/** A connection as the owner of the database, which ends with the work. */
export async function withOwner<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = own(new Client({ ...connectionSettings(url, PATIENT), connectionTimeoutMillis: CONNECT_MS }));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
