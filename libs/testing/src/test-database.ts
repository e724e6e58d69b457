import { createHash, randomBytes } from 'node:crypto';
import { Database, provision, SecretBox, SharedTables1700000000000, type ServiceSchema } from '@plinth/database';
import { Client } from 'pg';

/** A database of its own on the shared test server. */
export interface EmptyDatabase {
  /** Connection string of its owner. */
  url: string;
  /** Closes every connection to it and removes it. */
  drop(): Promise<void>;
}

export interface TestDatabase extends EmptyDatabase {
  database: Database;
  secrets: SecretBox;
}

/** A database without any schema, for a whole platform to start on. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  return createFrom('template1');
}

/** An opened database with the service's schema, cloned from a template that is migrated once per test run. */
export async function createTestDatabase(
  schema: ServiceSchema,
  options: { poolSize?: number; statementTimeoutMs?: number } = {},
): Promise<TestDatabase> {
  const { url, drop } = await createFrom(await migratedTemplate(schema));
  const secrets = new SecretBox([randomBytes(32).toString('base64')]);
  const database = await Database.open({ ...schema, ...options, url, secrets, migrate: 'none' });
  return {
    url,
    database,
    secrets,
    drop: async () => {
      await database.close();
      await drop();
    },
  };
}

async function createFrom(template: string): Promise<EmptyDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asOwner((owner) => owner.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(name),
    drop: () => asOwner(async (owner) => void (await owner.query(`drop database if exists ${name} with (force)`))),
  };
}

/** Parallel test files ask for the same template; the first builds it, the others wait. */
function migratedTemplate(schema: ServiceSchema): Promise<string> {
  const name = `template_${fingerprintOf(schema)}`;
  return asOwner(async (owner) => {
    await owner.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await owner.query('select from pg_database where datname = $1', [name]);
    if (rowCount) return name;
    await owner.query(`drop database if exists ${name}_draft with (force)`);
    await owner.query(`create database ${name}_draft`);
    await provision(urlOf(`${name}_draft`), schema);
    await owner.query(`alter database ${name}_draft rename to ${name}`);
    return name;
  });
}

function fingerprintOf({ service, migrations: { preDeploy, postDeploy } }: ServiceSchema): string {
  const sources = [SharedTables1700000000000, ...preDeploy, ...postDeploy].map(String);
  const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16);
  return `${service.replaceAll('-', '_')}_${digest}`;
}

async function asOwner<T>(work: (owner: Client) => Promise<T>): Promise<T> {
  const owner = new Client({ connectionString: serverUrl() });
  await owner.connect();
  try {
    return await work(owner);
  } finally {
    await owner.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(serverUrl());
  url.pathname = `/${database}`;
  return url.href;
}

function serverUrl(): string {
  const url = process.env['PLINTH_TEST_DATABASE_URL'];
  if (!url) throw new Error('No test database: this test belongs into *.medium.spec.ts or *.e2e.ts');
  return url;
}
