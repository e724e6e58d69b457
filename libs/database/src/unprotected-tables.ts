import type { Database } from './database';
import { GLOBAL_TABLE, TENANT_SETTING } from './tenant-isolation';

const BOOKKEEPING_TABLE = 'migration';

/**
 * Tables of the service that row-level security does not confine to a tenant, each with what is missing.
 * A global table must be out of reach of the ordinary role instead, and so must a partition: it is reached through its
 * parent, whose policies then hold.
 */
export async function findUnprotectedTables(database: Database): Promise<string[]> {
  const { schema, role, systemRole } = database.names;
  const rows = await database.readAsSystem<{ name: string; problem: string }>(
    { name: 'find-unprotected-tables', text: unprotectedTables },
    [schema, role, systemRole, GLOBAL_TABLE, BOOKKEEPING_TABLE],
  );
  return rows.map(({ name, problem }) => `${name}: ${problem}`);
}

const unprotectedTables = `
  with tables as (
    select c.oid, c.relname as name, c.relispartition, c.relrowsecurity, c.relforcerowsecurity, c.relowner,
           obj_description(c.oid, 'pg_class') is not distinct from $4 as is_global,
           exists (
             select from pg_attribute a
             where a.attrelid = c.oid and a.attname = 'tenant_id' and a.attnotnull and a.atttypid = 'bigint'::regtype
           ) as has_tenant,
           array(
             select concat(p.polcmd, ' ', pg_get_expr(p.polqual, p.polrelid), ' / ', pg_get_expr(p.polwithcheck, p.polrelid))
             from pg_policy p
             where p.polrelid = c.oid and p.polpermissive
               and (p.polroles @> array[0::oid] or p.polroles @> array[$2::regrole::oid])
           ) as expressions,
           (select count(*) from pg_policy p
            where p.polrelid = c.oid and not p.polroles <@ array[$2::regrole::oid, $3::regrole::oid]) as foreign_policies
    from pg_class c
    where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and c.relname <> $5
  ), judged as (
    select name, case
      when relowner in ($2::regrole, $3::regrole) then 'belongs to a service role'
      when (is_global or relispartition) and has_table_privilege($2::name, oid, 'select, insert, update, delete, truncate')
        then case when is_global then 'is global' else 'is a partition' end || ' but the ordinary role may use it'
      when is_global or relispartition then null
      when not has_tenant then 'has no tenant_id bigint not null'
      when not relrowsecurity then 'row-level security is not enabled'
      when not relforcerowsecurity then 'row-level security is not forced'
      when foreign_policies > 0 then 'has a policy for another role'
      when cardinality(expressions) <> 1 then 'does not have exactly one policy for the ordinary role'
      when expressions[1] not like '* (tenant_id = %current_setting(''${TENANT_SETTING}''%)::bigint) / (tenant_id = %current_setting(''${TENANT_SETTING}''%)::bigint)'
        then 'its policy does not compare the tenant'
      when has_table_privilege($2::name, oid, 'truncate') then 'the ordinary role may truncate it'
    end as problem
    from tables
  )
  select name, problem from judged where problem is not null order by name`;
