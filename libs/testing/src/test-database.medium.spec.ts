import { Client } from 'pg';
import { createDatabaseFrom, createEmptyDatabase, type TestDatabase } from './test-database';

describe('databases for tests', () => {
  const made: TestDatabase[] = [];
  const keep = async (database: Promise<TestDatabase>): Promise<TestDatabase> => {
    made.push(await database);
    return database;
  };

  afterAll(() => Promise.all(made.map((database) => database.drop())));

  it('builds the template anew after a failed build, and passes the failure on', async () => {
    const broken = createDatabaseFrom('flawed', async (url) => {
      await query(url, 'create table half_made ()');
      throw new Error('migration 2 failed');
    });
    await expect(broken).rejects.toThrow('migration 2 failed');

    const { url } = await keep(createDatabaseFrom('flawed', (template) => query(template, 'create table whole ()')));
    expect(await tablesOf(url)).toEqual(['whole']);
  });

  it('builds a template once for all callers and gives each a copy of its own', async () => {
    let builds = 0;
    const build = async (url: string): Promise<void> => {
      builds += 1;
      await query(url, 'create table accounts (id int)');
    };
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => keep(createDatabaseFrom('shared', build))));
    await query(first!.url, 'create table extra ()');

    expect(builds).toBe(1);
    expect(await tablesOf(first!.url)).toEqual(['accounts', 'extra']);
    expect(await tablesOf(second!.url)).toEqual(['accounts']);
    expect(await tablesOf(third!.url)).toEqual(['accounts']);
  });

  it('makes an empty database, and drops it under the connections of a test that forgot to close them', async () => {
    const database = await createEmptyDatabase();
    expect(await tablesOf(database.url)).toEqual([]);

    const forgotten = new Client({ connectionString: database.url });
    const cut = new Promise((resolve) => forgotten.on('error', resolve));
    await forgotten.connect();
    await database.drop();

    await cut;
    await expect(tablesOf(database.url)).rejects.toMatchObject({ code: '3D000' });
  });
});

async function query(url: string, text: string): Promise<void> {
  await rowsOf(url, text);
}

async function tablesOf(url: string): Promise<unknown[]> {
  const rows = await rowsOf(url, "select tablename from pg_tables where schemaname = 'public' order by tablename");
  return rows.map(({ tablename }) => tablename);
}

async function rowsOf(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
