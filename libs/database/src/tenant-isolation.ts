import type { QueryRunner } from 'typeorm';
import type { ServiceNames } from './service-schema';

/** Name of the connection's setting that row-level security compares with. */
export const TENANT_SETTING = 'plinth.tenant_id';
/** Comment of a table that belongs to no tenant. */
export const GLOBAL_TABLE = 'plinth:global';

/** Null, which equals nothing, while no tenant is set. */
const ownRows = `tenant_id = nullif(current_setting('${TENANT_SETTING}', true), '')::bigint`;

/**
 * For migrations: confines the table to the tenant of the connection, for everybody but the system role.
 * The table must have `tenant_id bigint not null`.
 */
export async function enableTenantIsolation(queryRunner: QueryRunner, table: string): Promise<void> {
  const { role, systemRole } = await rolesOfSchema(queryRunner);
  await queryRunner.query(`
    alter table "${table}" enable row level security;
    alter table "${table}" force row level security;
    create policy tenant_isolation on "${table}" to ${role} using (${ownRows}) with check (${ownRows});
    create policy system_access on "${table}" to ${systemRole} using (true) with check (true)`);
}

/** For migrations: a table read before the tenant is known. Only the system role may touch it. */
export async function declareGlobalTable(queryRunner: QueryRunner, table: string): Promise<void> {
  const { role } = await rolesOfSchema(queryRunner);
  await queryRunner.query(`
    comment on table "${table}" is '${GLOBAL_TABLE}';
    revoke all on "${table}" from ${role}`);
}

async function rolesOfSchema(queryRunner: QueryRunner): Promise<Omit<ServiceNames, 'schema'>> {
  const [{ schema }] = (await queryRunner.query('select current_schema() as schema')) as [{ schema: string }];
  return { role: `plinth_${schema}`, systemRole: `plinth_${schema}_system` };
}
