import { systemPrincipal } from '@plinth/auth';
import { runInContext } from '@plinth/observability';
import { createEmptyDatabase, createTestDatabase, Notes1700000000001, type ServiceDatabase } from '@plinth/testing';
import { Client } from 'pg';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  Database,
  findUnprotectedTables,
  managerFor,
  recordAction,
  UniqueViolation,
  type ServiceSchema,
  type Transaction,
} from '.';
import { NoteRepository, notesSchema, request } from './testing/notes-fixture';

const schema = notesSchema;
const alice = systemPrincipal(1);
const notes = new NoteRepository();

describe(Database.name, () => {
  let server: ServiceDatabase;
  let database: Database;

  beforeEach(async () => {
    server = await createTestDatabase(schema);
    database = server.database;
  });

  afterEach(() => server.drop());

  const addNote = (text: string) => () => notes.addOnce(database, alice, text);
  const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
    database.readAsSystem({ name: `all-${table}`, text: `select * from ${table}` });

  describe('transactions', () => {
    it('leave nothing when their work fails, their events included', async () => {
      const failing = database.transaction(1, async (tx) => {
        await notes.add(tx, 'a');
        tx.emit('deployment.deleted', { deploymentId: 1 });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect([await rowsOf('note'), await rowsOf('outbox')]).toEqual([[], []]);
    });

    it('tell who listens when they have committed, and never when they have not', async () => {
      const heard: string[] = [];
      const work = (name: string, end: () => void) => (tx: Transaction) => {
        tx.onCommit(() => heard.push(name));
        expect(heard).not.toContain(name);
        return Promise.resolve().then(end);
      };
      const fail = () => {
        throw new Error('no');
      };
      await expect(database.transaction(1, work('failed', fail))).rejects.toThrow('no');
      await database.transaction(
        1,
        work('done', () => undefined),
      );
      expect(heard).toEqual(['done']);
    });

    it('stay done, and tell the others, when one who listens fails', async () => {
      const logged: string[] = [];
      const opened = await Database.open({
        ...schema,
        url: server.url,
        secrets: server.secrets,
        migrate: 'none',
        logger: pino({}, { write: (line) => void logged.push(line) }),
      });
      const heard: string[] = [];
      opened.onEvents(() => {
        throw new Error('deaf to events');
      });
      opened.onEvents(() => heard.push('of events'));
      const work = (text: string) => async (tx: Transaction) => {
        tx.onCommit(() => {
          throw new Error('deaf');
        });
        tx.onCommit(() => heard.push(text));
        tx.emit('deployment.deleted', { deploymentId: 1 });
        await notes.add(tx, text);
        return text;
      };
      try {
        expect(await opened.transaction(1, work('a'))).toBe('a');
        expect(await opened.mutate(alice, work('b'))).toBe('b');
        expect(await opened.session(1, (session) => session.transaction(work('c')))).toBe('c');
      } finally {
        await opened.close();
      }
      expect(await rowsOf('note')).toHaveLength(3);
      expect(heard).toEqual(['a', 'of events', 'b', 'of events', 'c', 'of events']);
      expect(logged.filter((line) => line.includes('deaf'))).toHaveLength(6);
    });

    it('report a taken unique value by its constraint, and let a repository map it', async () => {
      const insert = (tx: Transaction): Promise<unknown> =>
        managerFor(tx).query("insert into note (tenant_id, text) values (1, 'a')");
      await database.transaction(1, insert);
      await expect(database.transaction(1, insert)).rejects.toBeInstanceOf(UniqueViolation);
      await expect(database.transaction(1, insert)).rejects.toMatchObject({ constraint: 'note_text_unique' });
      await expect(addNote('a')()).rejects.toMatchObject({ code: 'deployment.name_taken' });
    });

    it('end when a statement takes too long', async () => {
      const hasty = await createTestDatabase(schema, { statementTimeoutMs: 50 });
      const slow = hasty.database.transaction(1, (tx) => managerFor(tx).query('select pg_sleep(10)'));
      await expect(slow).rejects.toMatchObject({ code: 'service.deadline_exceeded' });
      await hasty.drop();
    });

    it('answer unavailable when the server ends every connection, and the next one works', async () => {
      await database.transaction(1, (tx) => notes.add(tx, 'before'));
      const owner = new Client({ connectionString: server.url });
      await owner.connect();
      const cut = database.transaction(1, async (tx) => {
        await owner.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
        );
        await managerFor(tx).query('select 1');
      });
      await expect(cut).rejects.toMatchObject({ code: 'service.unavailable' });
      await owner.end();
      expect(await database.read(1, { name: 'n', text: 'select text from note' })).toEqual([{ text: 'before' }]);
    });
  });

  describe('opening', () => {
    const open = (url: string, options: Partial<ServiceSchema> = {}) =>
      Database.open({ ...schema, ...options, url, secrets: server.secrets });

    it('migrates once when several replicas and services start together', async () => {
      const { url, drop } = await createEmptyDatabase();
      const services = ['control-plane', 'control-plane', 'build-worker', 'build-worker', 'embed', 'scim'] as const;
      const extensions = ['pg_trgm', 'btree_gin'];
      const opened = await Promise.all(services.map((service) => open(url, { service, extensions })));
      for (const each of opened) {
        expect(await findUnprotectedTables(each)).toEqual([]);
        await each.close();
      }
      await drop();
    });

    it('works for an owner who is no superuser', async () => {
      const { url, drop } = await createEmptyDatabase();
      const admin = new Client({ connectionString: url });
      await admin.connect();
      const name = new URL(url).pathname.slice(1);
      // On a server of its own the owner makes the roles; here other tests made some of them before.
      const { rows } = await admin.query<{ rolname: string }>(
        "select rolname from pg_roles where rolname like 'plinth\\_%'",
      );
      await admin.query(`create role owner_${name} login createrole password 'pw'`);
      await admin.query(`alter database ${name} owner to owner_${name}`);
      for (const { rolname } of rows) await admin.query(`grant ${rolname} to owner_${name} with admin option`);
      const own = new URL(url);
      own.username = `owner_${name}`;
      own.password = 'pw';

      const opened = await open(own.href, { extensions: ['pg_trgm'] });
      await opened.transaction(1, (tx) => notes.add(tx, 'a'));
      expect(await opened.read(2, { name: 'n', text: 'select text from note' })).toEqual([]);
      expect(await findUnprotectedTables(opened)).toEqual([]);
      await opened.close();
      const again = await open(own.href);
      await again.close();

      await admin.query(`drop owned by owner_${name} cascade`);
      await admin.query(
        `alter database ${name} owner to current_user; reassign owned by owner_${name} to current_user`,
      );
      await admin.query(`drop role owner_${name}`);
      await admin.end();
      await drop();
    });

    it('leaves post-deploy migrations for later when asked to', async () => {
      const { url, drop } = await createEmptyDatabase();
      class Later1700000000002 implements MigrationInterface {
        async up(queryRunner: QueryRunner): Promise<void> {
          await queryRunner.query('alter table note drop column text');
        }
        async down(): Promise<void> {}
      }
      const migrations = { preDeploy: [Notes1700000000001], postDeploy: [Later1700000000002] };
      const options = { ...schema, migrations, url, secrets: server.secrets };
      const columns = {
        name: 'columns',
        text: "select 1 from pg_attribute where attrelid = 'note'::regclass and attname = 'text'",
      };
      const before = await Database.open({ ...options, migrate: 'pre-deploy' });
      expect(await before.readAsSystem(columns)).toHaveLength(1);
      const after = await Database.open(options);
      expect(await after.readAsSystem(columns)).toHaveLength(0);
      await Promise.all([before.close(), after.close()]);
      await drop();
    });

    it('takes one connection to look after an up-to-date schema and one for each pool, and looks through no secrets', async () => {
      const reopen = async (): Promise<void> => (await open(server.url)).close();
      await reopen();
      const [connect, query] = (['connect', 'query'] as const).map((name) => jest.spyOn(Client.prototype, name));
      await reopen();
      expect(connect?.mock.calls).toHaveLength(3);
      expect(JSON.stringify(query?.mock.calls.map(([text]: unknown[]) => text))).not.toContain('pg_attribute');
      jest.restoreAllMocks();
    });

    it('answers unavailable when nothing listens', async () => {
      const opening = Database.open({
        ...schema,
        url: 'postgres://u:p@127.0.0.1:1/x',
        secrets: server.secrets,
        migrate: 'none',
      });
      await expect(opening).rejects.toMatchObject({ code: 'service.unavailable' });
    });
  });

  describe('a write', () => {
    const roundTrips = async (work: () => Promise<unknown>): Promise<number> => {
      const spy = jest.spyOn(Client.prototype, 'query').mockName('query');
      spy.mockClear();
      await work();
      const { length } = spy.mock.calls;
      spy.mockRestore();
      return length;
    };

    it('costs three round trips with its event, and no more under an idempotency key', async () => {
      const audit = { event: 'note.created', attributes: {}, deploymentId: null };
      await addNote('the first opens the connection')();
      const plain = () =>
        runInContext({ requestId: 'r-1', audit }, () => database.mutate(alice, (tx) => notes.add(tx, 'a')));
      expect(await roundTrips(plain)).toBe(3);
      expect(await roundTrips(() => request(addNote('b'), { audit }))).toBe(3);
      expect([await rowsOf('outbox'), await rowsOf('idempotency_record')].map(({ length }) => length)).toEqual([2, 1]);
    });

    it('leaves nothing of its tenant on the connection', async () => {
      const { database: narrow, drop } = await createTestDatabase(schema, { poolSize: 1 });
      const tenantSeen = (tx: Transaction) => managerFor(tx).query(`select current_setting('plinth.tenant_id', true)`);
      await narrow.transaction(1, (tx) => notes.add(tx, 'of one'));
      await expect(narrow.transaction(2, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      await narrow.read(3, { name: 'n', text: 'select text from note' });
      expect(await narrow.transaction(4, tenantSeen)).toEqual([{ current_setting: '4' }]);
      expect(await narrow.transaction(4, (tx) => managerFor(tx).query('select text from note'))).toEqual([]);
      expect(await narrow.read(3, { name: 'n', text: 'select text from note' })).toEqual([]);
      await drop();
    });

    it('is refused when one of its statements failed unnoticed', async () => {
      const careless = database.transaction(1, async (tx) => {
        await notes.add(tx, 'lost');
        await managerFor(tx)
          .query('select 1 / 0')
          .catch(() => undefined);
      });
      await expect(careless).rejects.toThrow('had failed');
      expect(await rowsOf('note')).toEqual([]);
    });

    it('takes any text in its event', async () => {
      const text = `'); drop table note; -- \\' \u{1F600} $1 \n`;
      await recordedText(text);
      expect(await rowsOf('outbox')).toMatchObject([{ payload: { attributes: { text } } }]);
    });
    const recordedText = (text: string) =>
      database.transaction(1, async (tx) => recordAction(tx, alice, { event: 'x', attributes: { text } }));
  });

  it('makes one round trip for a read in the tenant that its connection served last', async () => {
    const { database: narrow, drop } = await createTestDatabase(schema, { poolSize: 1 });
    const statement = { name: 'mine', text: "select current_setting('plinth.tenant_id') as tenant" };
    const sent: unknown[] = [];
    const spy = jest.spyOn(Client.prototype, 'query').mockName('query');
    spy.mockClear();
    for (const tenant of [1, 1, 1, 2, 2])
      sent.push((await narrow.read<{ tenant: string }>(tenant, statement))[0]?.tenant);
    expect(sent).toEqual(['1', '1', '1', '2', '2']);
    expect(spy).toHaveBeenCalledTimes(5 + 2);
    spy.mockRestore();
    await drop();
  });
});
