import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

const NO_SUCH_DATABASE = '3D000';

/** A database of its own on the shared test server. */
export interface TestDatabase {
  /** Connection string of its owner. */
  url: string;
  /** Closes every connection to it and removes it. */
  drop(): Promise<void>;
}

/** A database without any schema, for a whole platform to start on. */
export const createEmptyDatabase = (): Promise<TestDatabase> => cloneOf('template1');

/**
 * A copy of the template of that name, which `build` fills, once per test run: parallel test files that ask for the
 * same template wait for the first to build it.
 */
export async function createDatabaseFrom(
  name: string,
  build: (url: string) => Promise<unknown>,
): Promise<TestDatabase> {
  const template = `template_${name}`;
  return cloneOf(template).catch(async (error: { code?: unknown }) => {
    if (error.code !== NO_SUCH_DATABASE) throw error;
    await buildTemplate(template, build);
    return cloneOf(template);
  });
}

function buildTemplate(template: string, build: (url: string) => Promise<unknown>): Promise<void> {
  const draft = `${template}_draft`;
  return asOwner(async (owner) => {
    await owner.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
    const { rowCount } = await owner.query('select from pg_database where datname = $1', [template]);
    if (rowCount) return;
    await owner.query(`drop database if exists ${draft} with (force)`);
    await owner.query(`create database ${draft}`);
    await build(urlOf(draft));
    await owner.query(`alter database ${draft} rename to ${template}`);
  });
}

async function cloneOf(template: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying files costs a server that syncs nothing half as much as logging every page.
  await asOwner((owner) => owner.query(`create database ${name} template ${template} strategy file_copy`));
  return {
    url: urlOf(name),
    drop: () => asOwner(async (owner) => void (await owner.query(`drop database if exists ${name} with (force)`))),
  };
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
