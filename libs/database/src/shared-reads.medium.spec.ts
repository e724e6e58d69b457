import { createTestDatabase, until, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { BaseRepository } from './base-repository';
import type { Reader } from './reader';
import { NoteRepository, notesSchema } from './testing/notes-fixture';
import { SharedReads } from './shared-reads';

const POOL_SIZE = 2;
const EVERY_NOTE = { name: 'every-note', text: 'select text from note order by text' };
const WHERE = { name: 'where', text: 'select pg_backend_pid() as pid from pg_sleep($1)' };
const notes = new NoteRepository();

class Readings extends BaseRepository {
  async texts(from: Reader): Promise<string[]> {
    return (await this.prepared<{ text: string }>(from, EVERY_NOTE.text, [])).map(({ text }) => text);
  }

  async connection(from: Reader): Promise<number | undefined> {
    return (await this.planned<{ pid: number }>(from, WHERE.text, [0]))[0]?.pid;
  }
}
const readings = new Readings();

describe(SharedReads.name, () => {
  let server: ServiceDatabase;

  beforeEach(async () => {
    server = await createTestDatabase(notesSchema, { poolSize: POOL_SIZE });
    for (const tenant of [1, 2, 3]) await server.database.transaction(tenant, (tx) => notes.add(tx, `of ${tenant}`));
  });
  afterEach(() => server.drop());

  const notesOf = async (tenant: number): Promise<unknown[]> =>
    (await server.database.read<{ text: string }>(tenant, EVERY_NOTE)).map(({ text }) => text);
  const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => work(index)));
  it.each([
    'with gone as (delete from note returning text) select text from gone',
    'with changed as (update note set text = null returning text) select text from changed',
    "with made as (insert into note (tenant_id, text) values (1, 'more') returning text) select text from made",
    'select text from note for update',
    'select text from note n for no key update of n',
    'with held as (select text from note for key share) select text from held',
    'begin',
  ])('refuses what is no plain SELECT: %s', async (text) => {
    await expect(server.database.read(1, { name: 'else', text })).rejects.toThrow('else is no plain SELECT');
    expect(await notesOf(1)).toEqual(['of 1']);
  });

  it('takes common table expressions', async () => {
    const text = 'with recursive mine as (select text from note) select text from mine';
    expect(await server.database.read(1, { name: 'mine', text })).toEqual([{ text: 'of 1' }]);
  });

  it('shows readers of many tenants what is theirs alone, and in a transaction what it has written', async () => {
    const tenants = Array.from({ length: 60 }, (_, index) => (index % 4) + 1);
    const read = (tenant: number, index: number): Promise<string[]> =>
      readings.texts(server.database.reader(tenant, index % 2 === 0 ? 'lists' : 'few rows'));
    expect(await Promise.all(tenants.map(read))).toEqual(
      tenants.map((tenant) => (tenant === 4 ? [] : [`of ${tenant}`])),
    );
    await server.database.transaction(1, async (tx) => {
      await notes.add(tx, 'too');
      expect(await readings.texts(tx)).toEqual(['of 1', 'too']);
      expect(await readings.texts(server.database.reader(1, 'few rows'))).toEqual(['of 1']);
    });
  });

  it('has fewer lists than other reads wait for each other', async () => {
    const reader = server.database.reader(1, 'lists');
    const pids = await times(5, () => readings.connection(reader));
    expect(new Set(pids.slice(0, 4)).size).toBe(1);
    expect(new Set(pids).size).toBe(2);
  });

  it('shows each of many tenants that read at once its own rows alone', async () => {
    const tenants = Array.from({ length: 300 }, (_, index) => (index % 4) + 1);
    const seen = await Promise.all(tenants.map(notesOf));
    expect(seen).toEqual(tenants.map((tenant) => (tenant === 4 ? [] : [`of ${tenant}`])));
  });

  it('fails a read alone, and none of those that share its connection', async () => {
    const broken = { name: 'broken', text: 'select 1 / $1::int as one' };
    const results = await times(12, (index) =>
      index % 3 === 0
        ? server.database.read(1, broken, [0]).catch((error: { code: string }) => error.code)
        : notesOf(1),
    );
    expect(results).toEqual(results.map((_, index) => (index % 3 === 0 ? '22012' : ['of 1'])));
    expect(await notesOf(2)).toEqual(['of 2']);
  });

  it('fails every read of a connection that breaks, and reads on over another', async () => {
    const owner = new Client({ connectionString: server.url });
    await owner.connect();
    const reads = times(6, () => server.database.read(1, WHERE, [30]).catch((error: { code: string }) => error.code));
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%pg_sleep%' and pid <> pg_backend_pid() and datname = current_database()`;
    await until(
      'the reads are under way',
      async () => (await owner.query(end)).rowCount,
      (count) => count === 1,
    );
    await owner.end();
    expect(await reads).toEqual(Array.from({ length: 6 }, () => 'service.unavailable'));
    expect(await notesOf(1)).toEqual(['of 1']);
  });

  it('refuses all who wait for a connection when there is none to be had', async () => {
    const gone = await createTestDatabase(notesSchema);
    await gone.drop();
    const outcomes = await times(3, () => gone.database.read(1, EVERY_NOTE).then(String, () => 'refused'));
    expect(outcomes).toEqual(['refused', 'refused', 'refused']);
  });

  it('puts reads of one tenant on one connection, and goes on to the next before they are too many', async () => {
    const pids = (await times(20, () => server.database.read<{ pid: number }>(1, WHERE, [0]))).map(([row]) => row?.pid);
    expect(new Set(pids.slice(0, 16)).size).toBe(1);
    expect(new Set(pids).size).toBe(2);
  });

  it('lets others have the connection, however many reads of one tenant come', async () => {
    const narrow = await createTestDatabase(notesSchema, { poolSize: 1 });
    let goesOn = true;
    const stream = times(12, async (index) => {
      while (goesOn) await narrow.database.read(1, WHERE, [0.01 + index / 1_000]);
    });
    const others = [2, 3].map((tenant) => narrow.database.transaction(tenant, (tx) => notes.add(tx, `of ${tenant}`)));
    expect(await Promise.all(others)).toHaveLength(2);
    goesOn = false;
    await stream;
    await narrow.drop();
  });
});
