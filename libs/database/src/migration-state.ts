import { own } from '@plinth/streams';
import { Client } from 'pg';
import { connectionSettings } from './connection-settings';
import { namesOf, type ServiceSchema } from './service-schema';
import { sharedMigrations } from './shared-migrations';

/** How the migrations of a schema compare with those of this version; names of their classes. */
export interface MigrationState {
  schema: string;
  /** Of this version, and not run. */
  pending: string[];
  /** Run, and unknown to this version: a later one has been here. */
  unknown: string[];
}

/** @param url connection string of the owner */
export async function migrationState(url: string, { service, migrations }: ServiceSchema): Promise<MigrationState> {
  const { schema } = namesOf(service);
  const all = [...sharedMigrations, ...migrations.preDeploy, ...migrations.postDeploy].map(({ name }) => name);
  const run = await namesIn(url, schema);
  return {
    schema,
    pending: all.filter((name) => !run.includes(name)),
    unknown: run.filter((name) => !all.includes(name)),
  };
}

async function namesIn(url: string, schema: string): Promise<string[]> {
  const client = own(new Client(connectionSettings(url, {})));
  await client.connect();
  try {
    return await migrationsRun(client, schema);
  } finally {
    await client.end();
  }
}

/** Names of the classes of the migrations that have been run in the schema. */
export async function migrationsRun(owner: Client, schema: string): Promise<string[]> {
  const { rows: tables } = await owner.query<{ has: boolean }>('select to_regclass($1) is not null as has', [
    `${schema}.migration`,
  ]);
  if (!tables[0]?.has) return [];
  const { rows } = await owner.query<{ name: string }>(`select name from ${schema}.migration`);
  return rows.map(({ name }) => name);
}
