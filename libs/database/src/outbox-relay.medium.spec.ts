import { systemPrincipal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { createTestDatabase, until, type ServiceDatabase } from '@plinth/testing';
import { pino } from 'pino';
import { managerFor, outboxNotice, OutboxNotices, OutboxRelay, recordAction, type Database } from '.';
import { gate, NoteRepository, notesSchema } from './testing/notes-fixture';

const logger = pino({ enabled: false });
const notes = new NoteRepository();

describe('events', () => {
  let server: ServiceDatabase;
  let database: Database;

  beforeEach(async () => {
    server = await createTestDatabase(notesSchema);
    database = server.database;
  });

  afterEach(() => server.drop());

  const rowsOf = async (table: string): Promise<Record<string, unknown>[]> =>
    database.readAsSystem({ name: `all-${table}`, text: `select * from ${table}` });

  const body = (call: unknown) => (call as { body: { tenantId: number; events: { eventId: string }[] } }).body;
  const idsIn = (call: unknown) => body(call).events.map(({ eventId }) => eventId);
  const emit = () =>
    database.transaction(1, (tx) => Promise.resolve(tx.emit('deployment.updated', { deploymentId: 1 })));
  const recorded = (event: string, tenantId = 1) =>
    database.transaction(tenantId, async (tx) =>
      recordAction(tx, systemPrincipal(tenantId), { event, attributes: {} }),
    );
  const relayTo = (call: (id: string, call: unknown) => Promise<unknown>) =>
    new OutboxRelay(database, { call } as never, logger);
  const due = () =>
    database.asSystem((tx) => managerFor(tx).query("update outbox set next_attempt_at = now() - interval '1 second'"));

  it('have one effect although their consumer fails, then loses its answer, then succeeds', async () => {
    let attempts = 0;
    const consume = async (_id: string, call: unknown): Promise<void> => {
      attempts += 1;
      if (attempts === 1) throw new AppError('service.unavailable', 'away');
      const { tenantId, events } = body(call);
      await database.applyAllOnce(tenantId, events, (tx) => notes.add(tx, 'applied'));
      if (attempts === 2) throw new AppError('service.deadline_exceeded', 'the answer was lost');
    };
    await emit();
    const results: string[] = [];
    const relay = new OutboxRelay(database, { call: consume } as never, logger, {
      onAttempt: (consumer, result) => results.push(`${consumer} ${result}`),
    });
    for (let round = 0; round < 4; round += 1) {
      await relay.deliverBatch();
      await due();
    }
    expect(results).toEqual(['build-worker failed', 'build-worker failed', 'build-worker delivered']);
    expect(await rowsOf('note')).toHaveLength(1);
    expect(await rowsOf('outbox')).toEqual([]);
  });

  it('wait longer after each failure', async () => {
    await emit();
    const relay = relayTo(() => Promise.reject(new Error('no')));
    await relay.deliverBatch();
    expect(await relay.deliverBatch()).toBe(0);
    expect(await rowsOf('outbox')).toMatchObject([{ attempts: 1 }]);
  });

  it('are applied once when two deliveries arrive together', async () => {
    const event = { eventId: '6f3c1a50-0000-4000-8000-000000000001', tenantId: 1 };
    const apply = () => database.applyOnce(event, (tx) => notes.add(tx, 'applied'));
    expect((await Promise.all([apply(), apply(), apply()])).sort()).toEqual([false, false, true]);
  });

  it('are applied again when applying them failed', async () => {
    const event = { eventId: '6f3c1a50-0000-4000-8000-000000000002', tenantId: 1 };
    await expect(database.applyOnce(event, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await database.applyOnce(event, (tx) => notes.add(tx, 'applied'))).toBe(true);
  });

  it('are shared by relays, each event going to one of them', async () => {
    await Promise.all(Array.from({ length: 50 }, emit));
    const seen: string[] = [];
    const relays = [1, 2, 3].map(() => relayTo((_id, call) => Promise.resolve(void seen.push(...idsIn(call)))));
    const rounds = Array.from({ length: 4 }, () => Promise.all(relays.map((relay) => relay.deliverBatch())));
    await Promise.all(rounds);
    for (const relay of relays) await relay.deliverBatch();
    expect(new Set(seen).size).toBe(50);
    expect(seen).toHaveLength(50);
  });

  it('of a tenant travel together, in their order, those of others in calls of their own', async () => {
    await recorded('first');
    await recorded('of another', 2);
    await recorded('second');
    const calls: { tenantId: number; events: unknown[] }[] = [];
    await relayTo((_id, call) => Promise.resolve(void calls.push(body(call)))).deliverBatch();
    expect(calls).toMatchObject([
      { tenantId: 1, events: [{ payload: { event: 'first' } }, { payload: { event: 'second' } }] },
      { tenantId: 2, events: [{ payload: { event: 'of another' } }] },
    ]);
  });

  it('that are refused do not keep those that travel with them', async () => {
    for (const event of ['good', 'bad', 'good too']) await recorded(event);
    const isBad = (call: unknown) => JSON.stringify(body(call).events).includes('"bad"');
    const relay = relayTo((_id, call) => (isBad(call) ? Promise.reject(new Error('no')) : Promise.resolve()));
    await relay.deliverBatch();
    expect(await rowsOf('outbox')).toMatchObject([{ payload: { event: 'bad' }, attempts: 1 }]);
  });

  it('of a batch that was applied in part before take effect once', async () => {
    for (const event of ['a', 'b', 'c']) await recorded(event);
    let calls = 0;
    const relay = relayTo(async (_id, call) => {
      calls += 1;
      const { tenantId, events } = body(call);
      const now = calls === 1 ? events.slice(0, 2) : events;
      await database.applyAllOnce(tenantId, now, async (tx, fresh) => {
        for (const { eventId } of fresh) await notes.add(tx, eventId);
      });
      if (calls === 1) throw new AppError('service.deadline_exceeded', 'the answer was lost');
    });
    await relay.deliverBatch();
    expect(await rowsOf('note')).toHaveLength(3);
    expect(await rowsOf('outbox')).toEqual([]);
  });

  it('named twice in one delivery are applied once', async () => {
    const event = { eventId: '6F3C1A50-0000-4000-8000-00000000000A' };
    const applied = jest.fn().mockResolvedValue(undefined);
    expect(await database.applyAllOnce(1, [event, event], (_tx, fresh) => applied(fresh.length))).toBe(1);
    expect(applied.mock.calls).toEqual([[1]]);
  });

  it('do not wait for those of a consumer that is slow', async () => {
    const [asked, finish, delivered] = [gate(), gate(), gate()];
    const relay = relayTo(async (id) => {
      if (id === 'deliverEventsToControlPlane') return delivered.open();
      asked.open();
      await finish.opened;
    });
    relay.start();
    await emit();
    await asked.opened;
    await recorded('meanwhile');
    await delivered.opened;
    finish.open();
    await relay.stop();
    expect(await rowsOf('outbox')).toEqual([]);
  });

  it('are tried again when their back-off is over, long before the next poll', async () => {
    const delivered = gate();
    let attempts = 0;
    const relay = new OutboxRelay(
      database,
      {
        call: async () => {
          attempts += 1;
          if (attempts === 1) throw new Error('no');
          delivered.open();
        },
      } as never,
      logger,
      { pollMs: 3_600_000 },
    );
    relay.start();
    await emit();
    await delivered.opened;
    await relay.stop();
    expect(await rowsOf('outbox')).toEqual([]);
  });

  it('are delivered as soon as they are committed, while the relay runs', async () => {
    const delivered = gate();
    const relay = new OutboxRelay(database, { call: async () => delivered.open() } as never, logger, {
      pollMs: 3_600_000,
    });
    relay.start();
    await emit();
    await delivered.opened;
    await relay.stop();
    expect(await rowsOf('outbox')).toEqual([]);
  });

  it('that nobody announced are found when the relay starts, and by each poll; an empty outbox is asked once for all', async () => {
    const [first, second] = [gate(), gate()];
    const gates = [first, second];
    await emit();
    const claims = jest.spyOn(database, 'asSystem');
    const relay = new OutboxRelay(database, { call: async () => gates.shift()?.open() } as never, logger, {
      pollMs: 20,
    });
    relay.start();
    await first.opened;
    await until(
      'an empty outbox',
      () => rowsOf('outbox'),
      (rows) => rows.length === 0,
    );
    const asked = jest.spyOn(database, 'readAsSystem');
    await until(
      'polls',
      () => asked.mock.calls.length,
      (count) => count >= 5,
    );
    expect(claims).toHaveBeenCalledTimes(1);
    await database.asSystem((tx) => managerFor(tx).query(unannounced));
    await second.opened;
    await relay.stop();
    expect(await rowsOf('outbox')).toEqual([]);
  });

  it('that another process announces are heard of, also after the connection was lost', async () => {
    const { service } = notesSchema;
    let heard = 0;
    const reached = (times: number) =>
      until(
        'notices',
        () => heard,
        (count) => count >= times,
      );
    const notices = new OutboxNotices({ url: server.url, service, logger }, () => (heard += 1));
    notices.start();
    await reached(1);
    await database.readAsSystem({ name: 'notice', text: outboxNotice(service) });
    await reached(2);
    await database.asSystem((tx) => managerFor(tx).query(endOfListeners));
    await reached(3);
    await database.readAsSystem({ name: 'notice', text: outboxNotice(service) });
    await reached(4);
    await notices.stop();
  });
});

/** As the user of the connection, who may. */
const endOfListeners = `set local role none; select pg_terminate_backend(pid) from pg_stat_activity
  where query like 'listen %' and datname = current_database()`;

const unannounced = `insert into outbox (event_id, consumer, tenant_id, type, payload)
  values (gen_random_uuid(), 'build-worker', 1, 'deployment.updated', '{ "deploymentId": 1 }')`;
