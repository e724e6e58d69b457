import { createLogger } from '@plinth/observability';
import { WakeableLoop, type WakeableLoopOptions } from './wakeable-loop';

const logger = createLogger('test', 'silent');

/** A loop whose rounds end when the test says so. */
function loopWith(options: Partial<WakeableLoopOptions> = {}) {
  const rounds: { end: (next?: number) => void; fail: (error: Error) => void }[] = [];
  const round = () => new Promise<number | undefined>((end, fail) => rounds.push({ end, fail }));
  const loop = new WakeableLoop(round, { name: 'test', everyMs: 10_000, logger, ...options });
  return { loop, rounds };
}

const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

describe(WakeableLoop.name, () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('does not run before it is started, and not after it is stopped', async () => {
    const [set, cleared] = [jest.spyOn(globalThis, 'setTimeout'), jest.spyOn(globalThis, 'clearTimeout')];
    const { loop, rounds } = loopWith({ everyMs: 12_345 });
    loop.wake();
    await pass(60_000);
    expect(rounds).toHaveLength(0);
    loop.start();
    await pass(0);
    rounds[0]?.end();
    await pass(0);
    // Other files of the worker may have left timers of their own.
    const timer: unknown = set.mock.results[set.mock.calls.findIndex(([, after]) => after === 12_345)]?.value;
    expect(timer).toBeDefined();
    await loop.stop();
    loop.wake();
    await pass(60_000);
    expect(rounds).toHaveLength(1);
    expect(cleared).toHaveBeenCalledWith(timer);
  });

  it('finishes the round that runs before it is stopped, and begins none for a wake meanwhile', async () => {
    const { loop, rounds } = loopWith();
    loop.start();
    await pass(0);
    loop.wake();
    let stopped = false;
    const stopping = loop.stop().then(() => (stopped = true));
    await pass(0);
    expect(stopped).toBe(false);
    rounds[0]?.end();
    await stopping;
    expect(rounds).toHaveLength(1);
  });

  it('logs a round that fails and repeats it ever later, whoever wakes it meanwhile, and as usual after a success', async () => {
    const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
    const { loop, rounds } = loopWith();
    loop.start();
    await pass(0);
    for (const [index, wait] of [1_000, 2_000, 4_000, 8_000, 10_000, 10_000].entries()) {
      rounds[index]?.fail(new Error('away'));
      await pass(wait - 1);
      loop.wake();
      await pass(0);
      expect(rounds).toHaveLength(index + 1);
      await pass(1);
      expect(rounds).toHaveLength(index + 2);
    }
    expect(warned).toHaveBeenCalledTimes(6);
    expect(warned).toHaveBeenLastCalledWith({ err: new Error('away') }, 'could not test');
    rounds[6]?.end();
    await pass(0);
    loop.wake();
    expect(rounds).toHaveLength(8);
  });

  it('runs one round at a time and, however often it is woken meanwhile, one more', async () => {
    const { loop, rounds } = loopWith();
    loop.start();
    await pass(0);
    for (let count = 0; count < 5; count += 1) loop.wake();
    await pass(60_000);
    expect(rounds).toHaveLength(1);
    rounds[0]?.end();
    await pass(0);
    expect(rounds).toHaveLength(2);
    rounds[1]?.end();
    await pass(9_999);
    expect(rounds).toHaveLength(2);
  });

  it('waits for others who want a round, runs it once for all of them, and finishes it when it is stopped', async () => {
    const { loop, rounds } = loopWith({ firstAfterMs: 60_000, gatherMs: 10 });
    loop.start();
    loop.wake();
    await pass(9);
    loop.wake();
    expect(rounds).toHaveLength(0);
    await pass(1);
    expect(rounds).toHaveLength(1);
    rounds[0]?.end();
    await pass(1_000);
    expect(rounds).toHaveLength(1);
    loop.wake();
    const stopping = loop.stop();
    await pass(10);
    expect(rounds).toHaveLength(2);
    rounds[1]?.end();
    await stopping;
  });

  it('loses no wake in the turns in which a round ends', async () => {
    const { loop, rounds } = loopWith();
    loop.start();
    await pass(0);
    for (let turns = 0; turns < 8; turns += 1) {
      const before = rounds.length;
      rounds.at(-1)?.end();
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      loop.wake();
      await pass(0);
      expect(rounds.length).toBe(before + 1);
    }
  });

  it('comes again after its period, and sooner when the round says so', async () => {
    const { loop, rounds } = loopWith({ firstAfterMs: 3_000 });
    loop.start();
    await pass(2_999);
    expect(rounds).toHaveLength(0);
    await pass(1);
    rounds[0]?.end(500);
    await pass(500);
    expect(rounds).toHaveLength(2);
    rounds[1]?.end(60_000);
    await pass(10_000);
    expect(rounds).toHaveLength(3);
    rounds[2]?.end();
    await pass(9_999);
    expect(rounds).toHaveLength(3);
    await pass(1);
    expect(rounds).toHaveLength(4);
  });

  it('without a period runs when it is asked, also before its start, when the round says so, and after a failure', async () => {
    jest.spyOn(logger, 'warn').mockReturnValue(undefined);
    const { loop, rounds } = loopWith({ everyMs: undefined });
    loop.start();
    await pass(3_600_000);
    expect(rounds).toHaveLength(0);
    loop.wake();
    rounds[0]?.end(70_000);
    await pass(70_000);
    expect(rounds).toHaveLength(2);
    rounds[1]?.fail(new Error('away'));
    await pass(1_000);
    expect(rounds).toHaveLength(3);
    rounds[2]?.end();
    await pass(3_600_000);
    expect(rounds).toHaveLength(3);
    const asked = loopWith({ everyMs: undefined });
    asked.loop.wake();
    asked.loop.start();
    expect(asked.rounds).toHaveLength(1);
  });
});
