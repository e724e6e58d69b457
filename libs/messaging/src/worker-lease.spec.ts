import { silent } from './testing/conformance-kit';
import { WorkerLease } from './worker-lease';

const ALIVE = 'build-worker.worker.alive';
const LEAVING = 'build-worker.worker.leaving';

describe(WorkerLease.name, () => {
  let now: number;
  let published: string[];
  let endFlush: () => void;
  let lease: WorkerLease;
  let told: string[];
  const logger = {
    ...silent,
    info: (_: object, text: string) => void told.push(text),
    warn: (_: object, text: string) => void told.push(text),
  };

  /** Lets time pass for a worker that runs, heartbeat by heartbeat. */
  const run = async (milliseconds: number): Promise<void> => {
    for (const end = now + milliseconds; now < end;) {
      now += 1_000;
      await jest.advanceTimersByTimeAsync(1_000);
    }
  };

  beforeEach(() => {
    jest.useFakeTimers();
    now = 0;
    published = [];
    told = [];
    const transport = {
      publish: (topic: string) => void published.push(topic),
      flush: () => new Promise<void>((resolve) => (endFlush = resolve)),
    };
    lease = new WorkerLease(transport, new Set(['build-worker']), 'a', logger, () => now);
  });

  afterEach(() => {
    lease.end();
    jest.useRealTimers();
  });

  it('says in one line that its deployments were others, and that it leaves', async () => {
    await run(5_000);
    now += 10_000;
    await jest.advanceTimersByTimeAsync(1_000);
    endFlush();
    await run(3_000);
    lease.leave();
    expect(told).toEqual([
      'this worker was silent for too long: its deployments belonged to the others meanwhile',
      'this worker leaves: its deployments belong to the others',
    ]);
  });

  it('does not hold for what is read right after a standstill, before any timer runs', () => {
    now = 3_001;
    expect(lease.holds()).toBe(false);
  });

  it('does not hold, and is not announced, until what queued up during a standstill has arrived', async () => {
    now = 10_000;
    await jest.advanceTimersByTimeAsync(1_000);
    expect([lease.holds(), published]).toEqual([false, [ALIVE]]);
    await run(5_000);
    expect([lease.holds(), published]).toEqual([false, [ALIVE]]);
    endFlush();
    await jest.advanceTimersByTimeAsync(0);
    expect([lease.holds(), published]).toEqual([true, [ALIVE, ALIVE]]);
  });

  it('holds as long as the worker runs, and is announced every second', async () => {
    await run(10_000);
    expect(lease.holds()).toBe(true);
    expect(published).toEqual(Array.from({ length: 11 }, () => ALIVE));
  });

  it('is announced as one that leaves, and nothing else, until what it was sent before is served', async () => {
    now = 10_000;
    await jest.advanceTimersByTimeAsync(1_000);
    lease.leave();
    endFlush();
    await run(2_000);
    expect(lease.holds()).toBe(true);
    lease.end();
    await run(10_000);
    expect(published).toEqual([ALIVE, ...Array.from({ length: 4 }, () => LEAVING)]);
  });
});
