import { randomBytes } from 'node:crypto';
import { sampleShopSql } from '@plinth/sample-shop';
import { own } from '@plinth/streams';
import { Client } from 'pg';

const DATABASE = 'sample_shop';
const READER = 'sample_shop_reader';
const CONNECT_MS = 10_000;

/** What a deployment needs to read the shop. The password is known to nobody else. */
export interface ShopAccess {
  host: string;
  port: string;
  database: string;
  user: string;
  password: string;
}

/**
 * Makes what is missing of the shop's database on a server, and its reader with a new password: an earlier one stops
 * working.
 *
 * @throws Error with a sentence for the operator when the server's user may not
 */
export async function openShop(serverUrl: string): Promise<ShopAccess> {
  const password = randomBytes(24).toString('base64url');
  await connected(serverUrl, async (server) => {
    await requireRights(server);
    const { rowCount } = await server.query('select from pg_database where datname = $1', [DATABASE]);
    if (!rowCount) await server.query(`create database ${DATABASE}`);
    const { rowCount: readers } = await server.query('select from pg_roles where rolname = $1', [READER]);
    // A password takes no parameter; this one has letters, digits, - and _ alone.
    await server.query(
      `${readers ? 'alter' : 'create'} role ${READER} login connection limit 50 password '${password}'`,
    );
  });
  await connected(shopUrl(serverUrl), fill);
  const { hostname, port } = new URL(serverUrl);
  return { host: hostname, port: port || '5432', database: DATABASE, user: READER, password };
}

/** In one transaction: the tables are there with all their rows, or not at all. */
async function fill(shop: Client): Promise<void> {
  await shop.query('begin');
  const { rows } = await shop.query<{ filled: boolean }>(
    `select to_regclass('public.line_items') is not null as filled`,
  );
  if (!rows[0]?.filled) await shop.query(await sampleShopSql());
  await shop.query(`
    revoke all on database ${DATABASE} from public;
    revoke all on schema public from public;
    grant connect on database ${DATABASE} to ${READER};
    grant usage on schema public to ${READER};
    grant select on all tables in schema public to ${READER};
    alter role ${READER} set default_transaction_read_only = on;
  `);
  await shop.query('commit');
}

async function requireRights(server: Client): Promise<void> {
  const { rows } = await server.query<{ name: string; databases: boolean; roles: boolean }>(
    `select current_user as name, rolcreatedb or rolsuper as databases, rolcreaterole or rolsuper as roles
     from pg_roles where rolname = current_user`,
  );
  const [user] = rows;
  const lacks = [!user?.databases && 'CREATEDB', !user?.roles && 'CREATEROLE'].filter(Boolean);
  if (lacks.length === 0) return;
  throw new Error(`The user ${user?.name} of PLINTH_DATABASE_URL lacks ${lacks.join(' and ')} to make the sample shop`);
}

async function connected<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = own(new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS }));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function shopUrl(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${DATABASE}`;
  return url.href;
}
