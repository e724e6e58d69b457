import { pipeline } from 'node:stream/promises';
import type { Readable, Writable } from 'node:stream';
import type { Client } from 'pg';
import { from, to } from 'pg-copy-streams';
import { namesOf } from '../service-schema';
import type { ArchivedTable, Partition } from './catalogue';

/** Of a table of which an archive has the rows: what is needed to put them back. */
export type ArchivedRows = Pick<ArchivedTable, 'schema' | 'name' | 'columns'>;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const full = ({ schema, name }: Pick<ArchivedTable, 'schema' | 'name'>): string => `${quoted(schema)}.${quoted(name)}`;
const list = (columns: readonly string[]): string => columns.map(quoted).join(', ');

/** Condition on the rows of one tenant; undefined for a table that says nothing of any tenant. */
function ownRows({ schema, name, hasTenant }: ArchivedTable, tenantId: number): string | undefined {
  if (!Number.isSafeInteger(tenantId)) throw new TypeError('A tenant id is an integer');
  if (hasTenant) return `tenant_id = ${tenantId}`;
  return `${schema}.${name}` === 'control_plane.tenant' ? `id = ${tenantId}` : undefined;
}

/** Whether an archive of one tenant has rows of the table; false for what the whole installation shares. */
export const isOfTenants = (table: ArchivedTable): boolean => ownRows(table, 0) !== undefined;

/** For the transaction that is open: everything of a service becomes visible. */
const asSystem = (client: Client, { systemRole }: Pick<ArchivedTable, 'systemRole'>) =>
  client.query(`set local role ${systemRole}`);

/** Writes the rows, or those of one tenant, as PostgreSQL's COPY writes text. Returns their number. */
export async function writeRows(
  client: Client,
  table: ArchivedTable,
  tenantId: number | undefined,
  target: Writable,
): Promise<number> {
  const condition = tenantId === undefined ? 'true' : (ownRows(table, tenantId) ?? 'false');
  await asSystem(client, table);
  const query = to(`copy (select ${list(table.columns)} from ${full(table)} where ${condition}) to stdout`);
  await pipeline(client.query(query), target);
  return query.rowCount;
}

/**
 * Puts rows into a table, as the role of the service that may see every row: row-level security takes no COPY, so they come
 * by way of a temporary table. Returns their number.
 *
 * @throws pg's error, with the code 23505 when there is such a row already
 */
export async function readRows(
  client: Client,
  table: Pick<ArchivedTable, 'schema' | 'name' | 'systemRole'>,
  columns: readonly string[],
  source: Readable,
): Promise<number> {
  await client.query(`
    reset role;
    create temporary table archived_rows on commit drop as select ${list(columns)} from ${full(table)} with no data;
    grant select on archived_rows to ${table.systemRole}`);
  await pipeline(source, client.query(from('copy archived_rows from stdin')));
  await asSystem(client, table);
  const { rowCount } = await client.query(
    `insert into ${full(table)} (${list(columns)}) overriding system value select * from pg_temp.archived_rows`,
  );
  await client.query('reset role; drop table archived_rows');
  return rowCount ?? 0;
}

/** Deletes the rows of one tenant, also where the service itself may delete none, as of its audit log. Returns their number. */
export async function deleteRows(client: Client, table: ArchivedTable, tenantId: number): Promise<number> {
  const condition = ownRows(table, tenantId);
  if (condition === undefined) return 0;
  const { rows } = await client.query<{ may: boolean }>('select has_table_privilege($1, $2, $3) as may', [
    table.systemRole,
    full(table),
    'delete',
  ]);
  const isLent = !rows[0]?.may;
  // Nobody else sees the privilege: it is gone again before the transaction ends.
  if (isLent) await client.query(`reset role; grant delete on ${full(table)} to ${table.systemRole}`);
  await asSystem(client, table);
  const { rowCount } = await client.query(`delete from ${full(table)} where ${condition}`);
  await client.query('reset role');
  if (isLent) await client.query(`revoke delete on ${full(table)} from ${table.systemRole}`);
  return rowCount ?? 0;
}

/** Runs `work` while the table's own triggers rest: what they would add is among the rows that are put back. */
export async function withoutTriggers<T>(client: Client, table: ArchivedTable, work: () => Promise<T>): Promise<T> {
  if (!table.hasTriggers) return work();
  await client.query(`reset role; alter table ${full(table)} disable trigger user`);
  const result = await work();
  await client.query(`reset role; alter table ${full(table)} enable trigger user`);
  return result;
}

export async function isEmpty(client: Client, table: ArchivedTable): Promise<boolean> {
  await asSystem(client, table);
  const { rows } = await client.query(`select from ${full(table)} limit 1`);
  return rows.length === 0;
}

/** Ids of the keys that texts of the table, or those of one tenant, are sealed under. */
export async function sealingKeysOf(client: Client, table: ArchivedTable, tenantId?: number): Promise<string[]> {
  const condition = tenantId === undefined ? 'true' : (ownRows(table, tenantId) ?? 'false');
  const { texts, documents } = table.sealed;
  if (texts.length === 0) return [];
  await asSystem(client, table);
  const queries = [
    ...texts.map((name) => `select substring(${quoted(name)}::text from '^([0-9a-f]{8})[.]') as id from own`),
    ...documents.map(
      (name) =>
        `select (regexp_matches(${quoted(name)}::text, '"sealed[A-Za-z]*": ?"([0-9a-f]{8})[.]', 'g'))[1] as id from own`,
    ),
  ];
  const { rows } = await client.query<{ id: string }>(
    `with own as not materialized (select * from ${full(table)} where ${condition})
     select distinct id from (${queries.join(' union all ')}) ids where id is not null`,
  );
  return rows.map(({ id }) => id);
}

/** The last number that each sequence of the table has given; none of a sequence that has given none. */
export async function lastNumbers(client: Client, { sequences }: ArchivedTable): Promise<Record<string, string>> {
  await client.query('reset role');
  const numbers: Record<string, string> = {};
  for (const [column, sequence] of Object.entries(sequences)) {
    const { rows } = await client.query<{ last: string | null }>(
      'select pg_sequence_last_value($1::regclass) as last',
      [sequence],
    );
    const last = rows[0]?.last;
    if (last != null) numbers[column] = String(last);
  }
  return numbers;
}

/** Lets sequences go on behind these numbers; those that are further on stay. */
export async function continueAfter(
  client: Client,
  { sequences }: ArchivedTable,
  numbers: Readonly<Record<string, string>>,
): Promise<void> {
  await client.query('reset role');
  for (const [column, number] of Object.entries(numbers)) {
    const sequence = sequences[column];
    if (sequence === undefined) continue;
    await client.query(
      'select setval($1::regclass, greatest($2::bigint, coalesce(pg_sequence_last_value($1::regclass), 1)))',
      [sequence, number],
    );
  }
}

const RANGE = /^FOR VALUES FROM \('[0-9 :+-]+'\) TO \('[0-9 :+-]+'\)$/;

/** Makes those partitions for ranges of time that are missing, as the services make theirs. */
export async function makePartitions(
  client: Client,
  table: ArchivedTable,
  wanted: readonly Partition[],
  service: Parameters<typeof namesOf>[0],
): Promise<void> {
  await client.query('reset role');
  const { role, systemRole } = namesOf(service);
  const there = new Set(table.partitions.map(({ name }) => name));
  for (const { name, bound } of wanted.filter((each) => !there.has(each.name) && RANGE.test(each.bound))) {
    const partition = full({ schema: table.schema, name });
    await client.query(`
      create table ${partition} (like ${full(table)} including all);
      revoke all on ${partition} from ${role}, ${systemRole};
      alter table ${full(table)} attach partition ${partition} ${bound}`);
  }
}
