import type { QueryRunner } from 'typeorm';
import type { ServiceSchema } from '../service-schema';

/** Comment by which a table says that it belongs to no tenant; only the system role reads such tables. */
export const globalTableComment = 'plinth:global';

const currentTenant = `nullif(current_setting('plinth.tenant_id', true), '')::bigint`;

/**
 * Puts a table under row-level security, in the migration that creates it: the service's ordinary role sees and
 * writes the rows of the current tenant alone, its system role those of all tenants.
 */
export async function enableTenantIsolation(
  queryRunner: QueryRunner,
  { schema, role, systemRole }: ServiceSchema,
  table: string,
): Promise<void> {
  const name = `"${schema}"."${table}"`;
  await queryRunner.query(`alter table ${name} enable row level security`);
  await queryRunner.query(`alter table ${name} force row level security`);
  await queryRunner.query(
    `create policy tenant_isolation on ${name} to "${role}"
     using (tenant_id = ${currentTenant}) with check (tenant_id = ${currentTenant})`,
  );
  await queryRunner.query(`create policy system_work on ${name} to "${systemRole}" using (true) with check (true)`);
}

/** Declares a table that has no tenant and takes it away from the ordinary role. */
export async function declareGlobalTable(
  queryRunner: QueryRunner,
  { schema, role }: ServiceSchema,
  table: string,
): Promise<void> {
  await queryRunner.query(`comment on table "${schema}"."${table}" is '${globalTableComment}'`);
  await queryRunner.query(`revoke all on "${schema}"."${table}" from "${role}"`);
}

/** Finds the tables of a schema that row-level security does not protect; `$1` is the schema. */
export const unprotectedTablesQuery = `
  select c.relname as table
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1
    and c.relkind in ('r', 'p')
    and c.relname <> 'migration'
    and obj_description(c.oid, 'pg_class') is distinct from '${globalTableComment}'
    and not (
      c.relrowsecurity and c.relforcerowsecurity
      and exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant_isolation')
      and exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull)
    )
  order by c.relname`;
