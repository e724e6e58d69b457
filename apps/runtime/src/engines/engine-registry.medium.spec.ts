import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@plinth/testing';
import { drivers } from '../testing/drivers';
import { replyOf, startRegistry, type RegistryFixture } from '../testing/registry-fixture';

let fixture: RegistryFixture;

const pids = () => fixture.engines.statesOf(1).map(({ pod, status }) => [pod, status]);
const running = () => fixture.engines.statesOf(1).filter(({ status }) => status === 'Running').length;
/** A query that is answered when it is released. */
const hold = () => {
  const heldBy = mkdtempSync(join(tmpdir(), 'plinth-held-'));
  return { query: { heldBy }, release: () => rmSync(heldBy, { recursive: true }) };
};
const never = new AbortController().signal;

describe.each(drivers)('engines of environments, by the driver %s', (name, openDrivers) => {
  let opened: Awaited<ReturnType<typeof openDrivers>>;
  const start = async (options: Parameters<typeof startRegistry>[0] = {}) => {
    fixture = startRegistry({ driver: await opened.driver(), ...options });
  };

  beforeAll(async () => {
    opened = await openDrivers();
  });
  afterAll(() => opened.close());
  afterEach(() => fixture.stop());

  describe('that do not come up', () => {
    beforeEach(() => start({ startTimeoutMs: 60_000 }));

    it('tell what is wrong with a model, with file and line, and are not started again for it', async () => {
      const problems = [{ message: 'No such column', fileName: 'model/cubes/a.yml', line: 3 }];
      const wanted = fixture.wanted(1, { broken: problems });
      const refused = { name: 'ModelBroken', message: 'model/cubes/a.yml:3: No such column' };
      await expect(fixture.ask(wanted)).rejects.toMatchObject(refused);
      await expect(fixture.ask(wanted)).rejects.toMatchObject(refused);
      expect(fixture.starts).toEqual(['broken']);
      expect(pids()).toEqual([]);
    });

    it('tell why they cannot serve, and are tried again', async () => {
      const wanted = fixture.wanted(1, { fails: 'There is no driver for that database' });
      await expect(fixture.ask(wanted)).rejects.toThrow('There is no driver for that database');
      const attempts = async () => {
        await fixture.ask(wanted).catch((error: unknown) => error);
        return fixture.starts.length;
      };
      await until('a second attempt', attempts, (count) => count >= 2);
    });

    // How long they are left alone is the registry's, whatever runs them.
    if (name === 'process')
      it('are tried again later each time', async () => {
        const wanted = fixture.wanted(1, { fails: 'There is no driver for that database' });
        const refused = () => fixture.ask(wanted).catch((error: unknown) => error);
        await until('a refusal until later', refused, (error) => 'retryAfterSeconds' in (error as object));
        expect(fixture.starts.length).toBeGreaterThan(2);
      });

    it('say so when their process dies', async () => {
      const wanted = fixture.wanted(1, { diesAtStart: true });
      await expect(fixture.ask(wanted)).rejects.toMatchObject({ name: 'EngineFailed' });
    });

    it('leave nobody waiting longer than he wants', async () => {
      const patience = new AbortController();
      const asked = fixture.ask(fixture.wanted(1, { startMs: 600_000 }), {}, patience.signal);
      const outcome = expect(asked).rejects.toThrow('enough');
      patience.abort(new Error('enough'));
      await outcome;
    });
  });

  it('that take too long to start are given up', async () => {
    await start({ startTimeoutMs: 1_000 });
    await expect(fixture.ask(fixture.wanted(1, { startMs: 600_000 }))).rejects.toThrow('did not start in time');
  });

  describe('that answer', () => {
    // What an engine has still to answer is answered because it is waited for, not because its end takes time.
    beforeEach(() => start({ stopGraceMs: 0 }));

    it('are started once for all who ask at the same time', async () => {
      const wanted = fixture.wanted(1, { answer: 'one' });
      const answers = await Promise.all(Array.from({ length: 20 }, () => fixture.ask(wanted)));
      expect(new Set(answers)).toEqual(new Set(['one']));
      expect(fixture.starts).toEqual(['ready']);
    });

    it('are told the context, variables and nothing of the platform, and say what they print without secrets', async () => {
      const variables = { CUBEJS_DB_PASS: 'a-real-password' };
      const wanted = fixture.wanted(1, { answer: 'one', says: 'cannot log in with a-real-password' }, { variables });
      const reply = await replyOf(await fixture.engines.use(wanted, never), { logs: 'said: a-real-password' });
      expect(reply).toMatchObject({ answer: 'one', claims: { sub: 'somebody' }, variables });
      expect(Number(reply.claims['exp']) - Number(reply.claims['iat'])).toBe(60);
      const messages = () => fixture.lines.map(({ message }) => message);
      await until('both lines', messages, (all) => all.includes('said: [HIDDEN]'));
      expect(messages()).toContain('cannot log in with [HIDDEN]');
      expect(messages().join()).not.toContain('a-real-password');
    });

    it('have a request ended whose caller leaves', async () => {
      const wanted = fixture.wanted(1, { answer: 'one' });
      const leaving = new AbortController();
      const asked = fixture.ask(wanted, { delayMs: 60_000 }, leaving.signal);
      const outcome = expect(asked).rejects.toThrow('left');
      const messages = () => fixture.lines.map(({ message }) => message);
      await until('the request', messages, (all) => all.includes('received load'));
      leaving.abort(new Error('left'));
      await outcome;
      await until('its end at the engine', messages, (all) => all.includes('cancelled'));
    });

    it('are replaced without a failed request, and end when they have answered', async () => {
      const { query, release } = hold();
      const slow = fixture.ask(fixture.wanted(1, { answer: 'one' }), query);
      await until('the first engine', running, (count) => count === 1);
      const next = fixture.wanted(1, { answer: 'two', startMs: 200 });
      expect(await fixture.ask(next)).toBe('one');
      const ask = () => fixture.ask(next);
      await until('the second engine', ask, (answer) => answer === 'two');
      release();
      expect(await slow).toBe('one');
      await until(
        'the end of the first',
        () => pids().length,
        (count) => count === 1,
      );
    });

    it('go on when the next model of production is broken', async () => {
      await fixture.ask(fixture.wanted(1, { answer: 'one' }));
      const broken = fixture.wanted(1, { broken: [{ message: 'wrong' }] });
      fixture.engines.follow(broken);
      await until(
        'the attempt',
        () => fixture.starts,
        (starts) => starts.includes('broken'),
      );
      expect(await fixture.ask(broken)).toBe('one');
    });

    it('give way to a broken model of a dev branch, whose author is told', async () => {
      const dev = { isProduction: false };
      await fixture.ask(fixture.wanted(1, { answer: 'one' }, dev));
      const broken = fixture.wanted(1, { broken: [{ message: 'wrong' }] }, dev);
      await expect(fixture.ask(broken)).rejects.toMatchObject({ name: 'ModelBroken' });
      expect(await fixture.ask(fixture.wanted(1, { answer: 'three' }, dev))).toBe('three');
    });

    it('serve a dev branch as it is now, also to whoever had asked for what it was', async () => {
      const dev = { isProduction: false };
      const first = fixture.wanted(1, { answer: 'one', startMs: 5_000 }, dev);
      const early = fixture.ask(first);
      expect(await fixture.ask(fixture.wanted(1, { answer: 'two' }, dev))).toBe('two');
      expect(await early).toBe('two');
      expect(await fixture.ask(first)).toBe('two');
    });

    it('are started again when they die, with an error for those whose answer was under way', async () => {
      const wanted = fixture.wanted(1, { answer: 'one' });
      expect(await fixture.ask(wanted)).toBe('one');
      const waiting = fixture.ask(wanted, { delayMs: 60_000 });
      const outcome = expect(waiting).rejects.toMatchObject({ name: 'EngineGone' });
      await expect(fixture.ask(wanted, { dies: true })).rejects.toMatchObject({ name: 'EngineGone' });
      await outcome;
      expect(await fixture.ask(wanted)).toBe('one');
      expect(fixture.crashes).toBe(1);
      expect(fixture.engines.statesOf(1)).toMatchObject([{ status: 'Running', restarts: 1 }]);
    });
  });

  describe('that are too many', () => {
    it('give way, those that were unused for longest first, and never one that is at work', async () => {
      await start({ most: 2 });
      const [first, second, third] = [1, 2, 3].map((id) => fixture.wanted(id, { answer: String(id) }));
      const [holdFirst, holdThird] = [hold(), hold()];
      const busy = fixture.ask(first!, holdFirst.query);
      await until('the first engine', running, (count) => count === 1);
      await fixture.ask(second!);
      expect(await fixture.ask(third!)).toBe('3');
      const environments = () =>
        fixture.engines
          .statesOf(1)
          .filter(({ status }) => status === 'Running')
          .map((each) => each.environmentId);
      await until('the room', environments, (ids) => ids.join() === '1,3');
      const working = fixture.ask(third!, holdThird.query);
      await expect(fixture.ask(second!)).rejects.toMatchObject({ code: 'engine.limit_reached', retryAfterSeconds: 5 });
      for (const { release } of [holdFirst, holdThird]) release();
      expect([await busy, await working]).toEqual(['1', '3']);
      expect(await fixture.ask(second!)).toBe('2');
    });

    // A cluster has room, or says so itself.
    if (name === 'process')
      it('give way for memory, too', async () => {
        await start({ memoryBytes: 1 });
        expect(await fixture.ask(fixture.wanted(1, { answer: 'one' }))).toBe('one');
        expect(fixture.engines.count().memoryBytes).toBeGreaterThan(2 ** 20);
        const { query, release } = hold();
        const busy = fixture.ask(fixture.wanted(1, { answer: 'one' }), query);
        await expect(fixture.ask(fixture.wanted(2, { answer: 'two' }))).rejects.toMatchObject({
          code: 'engine.limit_reached',
        });
        release();
        await busy;
        expect(await fixture.ask(fixture.wanted(2, { answer: 'two' }))).toBe('two');
        await until('the room', running, (count) => count === 1);
      });

    it('may be replaced all the same', async () => {
      await start({ most: 1 });
      await fixture.ask(fixture.wanted(1, { answer: 'one' }));
      const next = fixture.wanted(1, { answer: 'two' });
      await until(
        'the second engine',
        () => fixture.ask(next),
        (answer) => answer === 'two',
      );
    });
  });

  it('that nobody asks are ended, and started again when somebody does', async () => {
    await start({ idleMs: 300, stopGraceMs: 0 });
    const wanted = fixture.wanted(1, { answer: 'one' });
    expect(await fixture.ask(wanted, { delayMs: 700 })).toBe('one');
    await until(
      'the end',
      () => pids().length,
      (count) => count === 0,
    );
    expect(await fixture.ask(wanted)).toBe('one');
    expect(fixture.starts).toEqual(['ready', 'ready']);
  });

  it('that serve nothing any more end when they have answered', async () => {
    await start();
    const wanted = fixture.wanted(1, { answer: 'one' });
    const busy = fixture.ask(wanted, { delayMs: 500 });
    await until('the engine', running, (count) => count === 1);
    fixture.engines.retire(1);
    expect(await busy).toBe('one');
    await until(
      'the end',
      () => pids().length,
      (count) => count === 0,
    );
  });

  it('are all gone when the runtime has stopped, also those that only start', async () => {
    await start();
    await fixture.ask(fixture.wanted(1, { answer: 'one' }));
    const starting = fixture.ask(fixture.wanted(2, { startMs: 600_000 }));
    const outcome = expect(starting).rejects.toMatchObject({ name: 'EngineFailed' });
    await fixture.stop();
    await outcome;
    expect(pids()).toEqual([]);
    expect(() => fixture.engines.use(fixture.wanted(3, {}), never)).toThrow('shutting down');
  });
});
