import type { Client } from 'pg';
import { isSealedColumn } from '../sealed-columns';
import { GLOBAL_TABLE } from '../tenant-isolation';
import { namesOf, type ServiceSchema } from '../service-schema';

/** A table of a service, as a copy of its rows needs to know it. */
export interface ArchivedTable {
  schema: string;
  name: string;
  /** Role that row-level security lets see every row. */
  systemRole: string;
  /** Columns in their order, without generated ones. */
  columns: string[];
  /** Whether it has a `tenant_id`. */
  hasTenant: boolean;
  /** Whether it belongs to no tenant and is read before the tenant is known. */
  isGlobal: boolean;
  hasTriggers: boolean;
  /** Sequences that number its rows, by column. */
  sequences: Record<string, string>;
  partitions: Partition[];
  /** Columns with sealed texts, and columns of JSON that may hold some. */
  sealed: { texts: string[]; documents: string[] };
}

/** A partition, and for which rows it is, as PostgreSQL writes it. */
export interface Partition {
  name: string;
  bound: string;
}

const BOOKKEEPING_TABLE = 'migration';

/** The tables of a service, those first that others refer to. None when its schema is not there. */
export async function tablesOf(client: Client, service: ServiceSchema['service']): Promise<ArchivedTable[]> {
  const { schema, systemRole } = namesOf(service);
  const { rows } = await client.query<TableRow>(tables, [schema, GLOBAL_TABLE, BOOKKEEPING_TABLE]);
  return referredFirst(rows).map(({ columns, documents, references: _, ...table }) => {
    const texts = columns.filter((column) => isSealedColumn(table.name, column));
    const sealed = { texts, documents: texts.length > 0 ? documents : [] };
    return { ...table, schema, systemRole, columns, sealed };
  });
}

/** Names of the migrations that have run, oldest first. */
export async function migrationsOf(client: Client, service: ServiceSchema['service']): Promise<string[]> {
  const { schema } = namesOf(service);
  const { rows } = await client.query<{ there: boolean }>('select to_regclass($1) is not null as there', [
    `${schema}.${BOOKKEEPING_TABLE}`,
  ]);
  if (!rows[0]?.there) return [];
  const ran = await client.query<{ name: string }>(`select name from ${schema}.${BOOKKEEPING_TABLE} order by id`);
  return ran.rows.map(({ name }) => name);
}

interface TableRow extends Omit<ArchivedTable, 'schema' | 'systemRole' | 'sealed'> {
  documents: string[];
  references: string[];
}

function referredFirst(rows: readonly TableRow[]): TableRow[] {
  const left = new Map(rows.map((row) => [row.name, row]));
  const sorted: TableRow[] = [];
  while (left.size > 0) {
    const next = [...left.values()].filter(({ references }) => !references.some((name) => left.has(name)));
    if (next.length === 0) throw new Error(`The tables ${[...left.keys()].join(', ')} refer to each other in a circle`);
    for (const row of next) left.delete(row.name);
    sorted.push(...next);
  }
  return sorted;
}

const tables = `
  select c.relname as name,
    obj_description(c.oid, 'pg_class') is not distinct from $2 as "isGlobal",
    exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id') as "hasTenant",
    exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal) as "hasTriggers",
    array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum
    ) as columns,
    array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and a.atttypid in ('json'::regtype, 'jsonb'::regtype)
    ) as documents,
    array(
      select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid
    ) as "references",
    coalesce((
      select jsonb_object_agg(a.attname, pg_get_serial_sequence(format('%I.%I', $1::text, c.relname), a.attname))
      from pg_attribute a where a.attrelid = c.oid and a.attidentity <> ''
    ), '{}') as sequences,
    coalesce((
      select jsonb_agg(jsonb_build_object('name', p.relname, 'bound', pg_get_expr(p.relpartbound, p.oid)))
      from pg_inherits i join pg_class p on p.oid = i.inhrelid where i.inhparent = c.oid
    ), '[]') as partitions
  from pg_class c
  where c.relnamespace = to_regnamespace($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> $3
  order by c.relname`;
