import { setTimeout as delay } from 'node:timers/promises';
import { own } from '@plinth/streams';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { advisoryLockId } from './advisory-lock';
import { connectionSettings } from './connection-settings';
import { migrationsRun } from './migration-state';
import { PlinthNamingStrategy } from './naming-strategy';
import { namesOf, type MigrationClass, type ServiceNames, type ServiceSchema } from './service-schema';
import { sharedMigrations } from './shared-migrations';

/** Which migrations to run: `pre-deploy` while old replicas still serve, `all` when none does. */
export type MigrationPhase = 'pre-deploy' | 'all';

/**
 * Brings the service's schema, roles and grants up to date, as the owner that `url` names. May run in several
 * replicas at once: one does the work, the others wait and find it done.
 */
export async function provision(url: string, schema: ServiceSchema, phase: MigrationPhase = 'all'): Promise<void> {
  const names = namesOf(schema.service);
  const owner = own(new Client(connectionSettings(url, {})));
  await owner.connect();
  try {
    await owner.query('select pg_advisory_lock($1)', [advisoryLockId('provision', names.schema)]);
    await createRoles(owner, names);
    await owner.query(schemaAndGrants(names));
    await createExtensions(owner, schema.extensions ?? []);
    const migrations = migrationsOf(schema, phase);
    const run = new Set(await migrationsRun(owner, names.schema));
    // A service starts far more often than there is something to migrate.
    if (migrations.some(({ name }) => !run.has(name))) await migrate(url, names, migrations);
    await owner.query(`revoke all on ${names.schema}.migration from ${names.role}, ${names.systemRole}`);
  } finally {
    await owner.end();
  }
}

/** Roles belong to the whole server, so another database's start can get in the way; the advisory lock cannot help. */
const COLLISION = /^(42710|23505|XX000)$/;
const ATTEMPTS = 10;

async function createRoles(owner: Client, { role, systemRole }: ServiceNames): Promise<void> {
  for (const name of [role, systemRole]) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await createRole(owner, name);
        break;
      } catch (error) {
        if (attempt === ATTEMPTS || !COLLISION.test(String((error as { code?: unknown }).code))) throw error;
        await delay(20 * attempt);
      }
    }
  }
}

async function createRole(owner: Client, name: string): Promise<void> {
  const { rows } = await owner.query<{ rolsuper: boolean; rolbypassrls: boolean }>(
    'select rolsuper, rolbypassrls from pg_roles where rolname = $1',
    [name],
  );
  if (rows.some(({ rolsuper, rolbypassrls }) => rolsuper || rolbypassrls)) {
    throw new Error(`The database role ${name} can bypass row-level security. Take SUPERUSER and BYPASSRLS from it.`);
  }
  if (rows.length === 0) await owner.query(`create role ${name} nologin`);
  const membership = await owner.query<{ mayBecome: boolean }>(
    `select rolsuper or exists (
       select from pg_auth_members m
       where m.member = r.oid and m.roleid = $1::regrole
         and coalesce((to_jsonb(m) ->> 'set_option')::boolean, true)
         and coalesce((to_jsonb(m) ->> 'inherit_option')::boolean, true)
     ) as "mayBecome"
     from pg_roles r where rolname = current_user`,
    [name],
  );
  if (!membership.rows[0]?.mayBecome) await owner.query(`grant ${name} to current_user`);
}

/** They belong to the whole database: other services may be about to make the same ones. */
async function createExtensions(owner: Client, names: readonly string[]): Promise<void> {
  const lock = advisoryLockId('extensions');
  await owner.query('select pg_advisory_lock($1)', [lock]);
  for (const name of names) await owner.query(`create extension if not exists ${name} with schema public`);
  await owner.query('select pg_advisory_unlock($1)', [lock]);
}

const schemaAndGrants = ({ schema, role, systemRole }: ServiceNames): string => `
  create schema if not exists ${schema};
  grant usage on schema ${schema} to ${role}, ${systemRole};
  alter default privileges in schema ${schema}
    grant select, insert, update, delete on tables to ${role}, ${systemRole};
  alter default privileges in schema ${schema} grant usage, select on sequences to ${role}, ${systemRole}`;

const migrationsOf = (
  { migrations: { preDeploy, postDeploy } }: ServiceSchema,
  phase: MigrationPhase,
): MigrationClass[] => [...sharedMigrations, ...preDeploy, ...(phase === 'all' ? postDeploy : [])];

async function migrate(url: string, { schema }: ServiceNames, migrations: MigrationClass[]): Promise<void> {
  const { connectionString, ...extra } = connectionSettings(url, { search_path: schema });
  const dataSource = new DataSource({
    type: 'postgres',
    url: connectionString,
    extra,
    schema,
    poolSize: 1,
    namingStrategy: new PlinthNamingStrategy(),
    migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'each',
    installExtensions: false,
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.destroy();
  }
}
