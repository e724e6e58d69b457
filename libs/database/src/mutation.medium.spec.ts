import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import { createTestDatabase, type ServiceDatabase } from '@plinth/testing';
import { pino } from 'pino';
import { Housekeeping, managerFor, recordAction, type Database } from '.';
import { gate, NoteRepository, notesSchema, request } from './testing/notes-fixture';

const alice = systemPrincipal(1);
const notes = new NoteRepository();
const logger = pino({ enabled: false });

describe('mutations', () => {
  let server: ServiceDatabase;
  let database: Database;

  beforeEach(async () => {
    server = await createTestDatabase(notesSchema);
    database = server.database;
  });
  afterEach(() => server.drop());

  const addNote =
    (text: string, principal: Principal = alice) =>
    () =>
      notes.addOnce(database, principal, text);
  const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
    database.readAsSystem({ name: `all-${table}`, text: `select * from ${table}` });
  /** A request that runs until it is told to finish. */
  const running = async () => {
    const [started, finish] = [gate(), gate()];
    const reply = request(() =>
      database.mutate(alice, async () => {
        started.open();
        await finish.opened;
        return 'done';
      }),
    );
    await started.opened;
    return {
      finish: () => {
        finish.open();
        return reply;
      },
    };
  };

  it('have one effect when the same request comes many times at once', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => request(addNote('once'))));
    const refused = attempts.filter((attempt) => attempt.status === 'rejected');
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'idempotency.in_progress' });
    expect(attempts.length - refused.length).toBeGreaterThan(0);
    expect(await rowsOf('note')).toHaveLength(1);
    expect(await request(addNote('once'))).toEqual({ reply: { text: 'once' }, replayed: true });
  });

  it('refuse a repeat while the first is running', async () => {
    const first = await running();
    await expect(request(addNote('second'))).rejects.toMatchObject({ code: 'idempotency.in_progress', status: 409 });
    expect((await first.finish()).reply).toBe('done');
  });

  it('refuse a key that stands for another request', async () => {
    await request(addNote('a'));
    const other = request(addNote('b'), { fingerprint: 'f-2' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency.key_reused', status: 422 });
    expect(await rowsOf('note')).toHaveLength(1);
  });

  it('take the same key of another credential or tenant for another request', async () => {
    await request(addNote('a'));
    expect((await request(addNote('b', anonymousPrincipal(1, 'acme')))).replayed).toBe(false);
    expect((await request(addNote('c', systemPrincipal(2)))).replayed).toBe(false);
    expect(await rowsOf('note')).toHaveLength(3);
  });

  it('take the same key on another operation for another claim, also while the first runs', async () => {
    const first = await running();
    expect(await request(addNote('b'), { operationId: 'other', fingerprint: 'f-2' })).toMatchObject({
      replayed: false,
    });
    await first.finish();
    expect((await request(addNote('a'))).replayed).toBe(true);
    expect((await request(addNote('b'), { operationId: 'other', fingerprint: 'f-2' })).replayed).toBe(true);
    expect(await rowsOf('note')).toHaveLength(1);
  });

  it('store nothing when they fail, so that the repeat can succeed', async () => {
    const failing = request(() => database.mutate(alice, () => Promise.reject(new Error('no'))));
    await expect(failing).rejects.toThrow('no');
    expect(await rowsOf('idempotency_record')).toEqual([]);
    expect((await request(addNote('a'))).replayed).toBe(false);
  });

  it('keep no reply in the clear, and none longer than a day', async () => {
    const aged = () =>
      database.asSystem((tx) =>
        managerFor(tx).query("update idempotency_record set created_at = now() - interval '25 hours'"),
      );
    await request(addNote('sk-secret'));
    expect(JSON.stringify(await rowsOf('idempotency_record'))).not.toContain('sk-secret');

    await aged();
    expect((await request(addNote('again'))).replayed).toBe(false);
    await aged();
    await new Housekeeping(database, logger).run();
    expect(await rowsOf('idempotency_record')).toEqual([]);
  });

  it('go with housekeeping beside what the service itself lets expire, in batches', async () => {
    await database.asSystem((tx) =>
      managerFor(tx).query("insert into note (tenant_id, text) select 1, 'old ' || n from generate_series(1, 1500) n"),
    );
    await request(addNote('new'));
    await new Housekeeping(database, logger, [{ table: 'note', expired: "text like 'old %'" }]).run();
    expect(await rowsOf('note')).toMatchObject([{ text: 'new' }]);
  });

  it('record one audit event, with who did it and from where', async () => {
    const audit = { event: 'note.created', attributes: { text: 'a' }, deploymentId: 7 };
    await request(addNote('a'), { audit, clientIp: '192.0.2.1' });
    await request(addNote('a'), { audit });
    expect(await rowsOf('outbox')).toMatchObject([
      {
        tenant_id: 1,
        type: 'audit.recorded',
        payload: { ...audit, actorType: 'system', actorId: 'system', clientIp: '192.0.2.1', requestId: 'r-1' },
      },
    ]);
  });

  it('name what they have made in their audit event, or do not happen', async () => {
    const made = { event: 'note.created', attributes: { text: 'a' }, deploymentId: null };
    const making = (target: string, reply: object) =>
      request(() => database.mutate(alice, async () => reply), {
        audit: { ...made, target },
        key: `${target} ${JSON.stringify(reply)}`,
      });
    await expect(making('noteId', {})).rejects.toThrow('answers no id');
    await making('noteId', { id: 5 });
    await making('deploymentId', { id: 6 });
    expect((await rowsOf('outbox')).map(({ payload }) => payload)).toMatchObject([
      { attributes: { text: 'a', noteId: 5 }, deploymentId: null },
      { attributes: { text: 'a' }, deploymentId: 6 },
    ]);
  });

  it('record what they do to each of many things as an event of its own, with the change', async () => {
    const audit = { event: 'notes.changed', attributes: {}, deploymentId: null };
    const change = (fails: boolean) =>
      request(
        () =>
          database.mutate(alice, async (tx) => {
            for (const noteId of [1, 2]) recordAction(tx, alice, { event: 'note.deleted', attributes: { noteId } });
            if (fails) throw new Error('on second thoughts');
          }),
        { audit, clientIp: '192.0.2.1', key: String(fails) },
      );
    await expect(change(true)).rejects.toThrow('on second thoughts');
    await change(false);
    const facts = { clientIp: '192.0.2.1', requestId: 'r-1', actorId: 'system' };
    expect((await rowsOf('outbox')).map(({ payload }) => payload)).toMatchObject([
      { event: 'note.deleted', attributes: { noteId: 1 }, ...facts },
      { event: 'note.deleted', attributes: { noteId: 2 }, ...facts },
      { event: 'notes.changed' },
    ]);
  });
});
