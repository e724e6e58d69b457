import type { Logger } from '@plinth/observability';
import { Client } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { PlinthNamingStrategy } from './naming-strategy';
import type { ServiceSchema } from './service-schema';

export type MigrationClass = new () => MigrationInterface;

/** Migrations of a service: what an old version can live with before a deploy, and what removes things after it. */
export interface Migrations {
  preDeploy: readonly MigrationClass[];
  postDeploy: readonly MigrationClass[];
}

export interface MigrateOptions {
  url: string;
  schema: ServiceSchema;
  migrations: Migrations;
  logger: Logger;
}

/** Any number; the same for all services, because roles belong to the whole server. */
const migrationLock = 7_746_841;

/**
 * Brings a service's schema up to date as the owner of the database: schema, roles, rights, then migrations.
 * Replicas that start together take turns.
 */
export async function migrate({ url, schema, migrations, logger }: MigrateOptions): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'plinth migrate' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    await createRole(client, schema.role);
    await createRole(client, schema.systemRole);
    await client.query(`create schema if not exists "${schema.schema}"`);
    await grantRights(client, schema);
    await runMigrations(url, schema, migrations, logger);
  } finally {
    await client.end();
  }
}

async function createRole(client: Client, role: string): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
  if (!rowCount) await client.query(`create role "${role}" nologin nobypassrls`).catch(ignoreExisting);
  const { rows } = await client.query<{ superuser: boolean }>(
    'select rolsuper as superuser from pg_roles where rolname = current_user',
  );
  if (!rows[0]?.superuser) await client.query(`grant "${role}" to current_user`);
}

/** Databases of one server share their roles; another one may have made the role in the meantime. */
function ignoreExisting(error: unknown): void {
  if (!['42710', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
}

async function grantRights(client: Client, { schema, role, systemRole }: ServiceSchema): Promise<void> {
  const roles = `"${role}", "${systemRole}"`;
  await client.query(`grant usage on schema "${schema}" to ${roles}`);
  await client.query(
    `alter default privileges in schema "${schema}" grant select, insert, update, delete on tables to ${roles}`,
  );
}

async function runMigrations(
  url: string,
  { schema, role, systemRole }: ServiceSchema,
  { preDeploy, postDeploy }: Migrations,
  logger: Logger,
): Promise<void> {
  const source = new DataSource({
    type: 'postgres',
    url,
    schema,
    namingStrategy: new PlinthNamingStrategy(),
    migrations: [...preDeploy, ...postDeploy],
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    extra: { max: 1, options: `-c search_path=${schema}` },
  });
  await source.initialize();
  try {
    const applied = await source.runMigrations();
    for (const { name } of applied) logger.info({ migration: name, schema }, 'migrated');
    await source.query(`revoke all on "${schema}"."migration" from "${role}", "${systemRole}"`);
  } finally {
    await source.destroy();
  }
}
