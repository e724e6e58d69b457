import { AppError } from '@plinth/errors';
import { createLogger } from '@plinth/observability';
import { Registry } from 'prom-client';
import { TaskRunner, type TaskRunnerOptions } from './task-runner';
import type { Claim, TaskStore } from './task-store';

interface Task extends Claim {
  id: number;
}

const LEASE_MS = 9_000;

/** Tasks in memory; `heard` is what the runner said of them. */
class FakeStore implements TaskStore<Task, string> {
  readonly leaseMs = LEASE_MS;
  readonly heard: string[] = [];
  readonly waiting: Task[] = [];
  private added = 0;
  readonly taken = new Set<number>();
  due: number | undefined;
  /** What the next questions are answered with, instead of with success. */
  readonly errors: Error[] = [];

  add(...tenants: number[]): void {
    for (const tenantId of tenants) {
      const id = (this.added += 1);
      this.waiting.push({ id, tenantId, claimId: `${id}`, attempts: 1 });
    }
  }

  async claim(exceptTenants: readonly number[]): Promise<Task | undefined> {
    const next = this.waiting.findIndex(({ tenantId }) => !exceptTenants.includes(tenantId));
    return next < 0 ? undefined : this.waiting.splice(next, 1)[0];
  }

  nextDueMs = async (): Promise<number | undefined> => this.due;
  countWaiting = async (): Promise<number> => this.waiting.length;
  renew = (task: Task): Promise<boolean> => this.answer(`renew ${task.id}`, task);
  finish = (task: Task, result: string): Promise<boolean> => this.answer(`finish ${task.id}: ${result}`, task);
  fail = (task: Task, error: unknown): Promise<boolean> => this.answer(`fail ${task.id}: ${String(error)}`, task);
  release = (task: Task): Promise<boolean> => this.answer(`release ${task.id}`, task);

  private async answer(said: string, { id }: Task): Promise<boolean> {
    this.heard.push(said);
    const error = this.errors.shift();
    if (error) throw error;
    return !this.taken.has(id);
  }
}

const away = (): AppError => new AppError('service.unavailable', 'The database cannot be reached');
const pass = (milliseconds: number): Promise<void> => jest.advanceTimersByTimeAsync(milliseconds);

describe(TaskRunner.name, () => {
  let store: FakeStore;
  let metrics: Registry;
  let runner: TaskRunner<Task, string>;
  const ends = new Map<number, { finish: (result: string) => void; fail: (error: Error) => void }>();

  /** Work ends when the test says so, or when its signal is aborted. */
  const work = ({ id }: Task, signal: AbortSignal): Promise<string> =>
    new Promise<string>((finish, fail) => {
      ends.set(id, { finish, fail });
      signal.addEventListener('abort', () => fail(signal.reason as Error));
    });

  async function start(options: Partial<TaskRunnerOptions<Task, string>> = {}): Promise<void> {
    const logger = createLogger('test', 'silent');
    const describe = ({ id }: Task) => ({ id });
    const all = { kind: 'test', store, work, concurrency: 2, drainMs: 1_000, describe, logger, metrics };
    runner = new TaskRunner({ ...all, ...options });
    runner.start();
    await pass(0);
  }

  const events = async (): Promise<Record<string, number>> => {
    const { values } = (await metrics.getMetricsAsJSON()).find(({ name }) => name === 'plinth_tasks_total')!;
    return Object.fromEntries(values.map(({ labels, value }) => [labels['event'], value]));
  };

  beforeEach(() => {
    jest.useFakeTimers();
    store = new FakeStore();
    metrics = new Registry();
    ends.clear();
  });
  afterEach(async () => {
    const stopped = runner.stop();
    await pass(10_000);
    await stopped;
    jest.useRealTimers();
  });

  it('has a task that failed tried again, and does not take what failed for a result', async () => {
    store.add(1);
    await start();
    ends.get(1)?.fail(new Error('no'));
    await pass(0);
    expect(store.heard).toEqual(['fail 1: Error: no']);
    expect(await events()).toEqual({ claimed: 1, failed: 1 });
  });

  it('aborts work whose claim does not hold any more, and says nothing of it', async () => {
    store.add(1);
    await start();
    store.taken.add(1);
    await pass(LEASE_MS / 3);
    expect(store.heard).toEqual(['renew 1']);
    expect(await events()).toEqual({ claimed: 1, lost: 1 });
  });

  it('says in one line each that it took a task over, and that it lost one', async () => {
    const lines: unknown[][] = [];
    const logger = { ...createLogger('test', 'silent'), warn: (...line: unknown[]) => void lines.push(line) };
    store.add(1, 1);
    store.waiting[1] = { ...store.waiting[1]!, isTakenOver: true };
    await start({ logger: logger as unknown as TaskRunnerOptions<Task, string>['logger'] });
    store.taken.add(1);
    await pass(LEASE_MS / 3);
    expect(lines).toEqual([
      [{ kind: 'test', attempts: 1, id: 2 }, 'took over a task whose holder has fallen silent'],
      [{ kind: 'test', id: 1 }, 'lost a task: its lease ran out, or it was cancelled'],
    ]);
  });

  it('aborts work that was cancelled as soon as it is told to look', async () => {
    store.add(1);
    await start();
    store.taken.add(1);
    runner.recheck();
    await pass(0);
    expect(await events()).toEqual({ claimed: 1, lost: 1 });
  });

  it('counts a result that came too late as lost', async () => {
    store.add(1);
    await start();
    store.taken.add(1);
    ends.get(1)?.finish('late');
    await pass(0);
    expect(store.heard).toEqual(['finish 1: late']);
    expect(await events()).toEqual({ claimed: 1, lost: 1 });
  });

  it('says a result again until the database is back, and keeps the claim meanwhile', async () => {
    store.add(1);
    await start();
    store.errors.push(away(), away());
    ends.get(1)?.finish('done');
    await pass(2_000);
    expect(store.heard).toEqual(['finish 1: done', 'finish 1: done', 'finish 1: done']);
    expect(await events()).toEqual({ claimed: 1, finished: 1 });
  });

  it('outlives a result that the database refuses, and takes the next task', async () => {
    store.add(1, 1);
    await start({ concurrency: 1 });
    store.errors.push(new Error('refused'));
    ends.get(1)?.finish('done');
    await pass(0);
    ends.get(2)?.finish('done');
    await pass(0);
    expect(await events()).toEqual({ claimed: 2, lost: 1, finished: 1 });
  });

  it('renews a claim at a third of its lease for as long as the work takes, whatever happens to a renewal', async () => {
    store.add(1);
    await start();
    store.errors.push(away());
    await pass(LEASE_MS / 3);
    expect(store.heard).toEqual(['renew 1']);
    await pass(1_000);
    expect(store.heard).toEqual(['renew 1', 'renew 1']);
    await pass(LEASE_MS);
    expect(store.heard).toHaveLength(5);
    ends.get(1)?.finish('done');
    await pass(LEASE_MS);
    expect(store.heard.slice(5)).toEqual(['finish 1: done']);
  });

  it('takes no more tasks at a time than it may, and none of a tenant that has its share', async () => {
    store.add(1, 1, 2, 2);
    await start({ concurrency: 3, tenantConcurrency: 1 });
    expect([...ends.keys()]).toEqual([1, 3]);
    ends.get(1)?.finish('done');
    await pass(0);
    expect([...ends.keys()]).toEqual([1, 3, 2]);
  });

  it('finds what nobody announced when it is due, and what is not for it once a second at most', async () => {
    store.due = 0;
    await start();
    store.add(1);
    await pass(999);
    expect(ends.size).toBe(0);
    await pass(1);
    expect(ends.size).toBe(1);
    store.due = undefined;
    store.add(1);
    runner.wake();
    await pass(0);
    expect(ends.size).toBe(2);
  });

  it('lets work that ends soon finish when it is stopped, gives back the rest, and takes no more', async () => {
    store.add(1, 1, 1);
    await start();
    const stopped = runner.stop();
    ends.get(1)?.finish('done');
    await pass(1_000);
    await stopped;
    expect(store.heard).toEqual(['finish 1: done', 'release 2']);
    expect(store.waiting).toHaveLength(1);
  });

  it('gives back what does not heed the signal, and does not wait for it', async () => {
    store.add(1);
    await start({ work: () => new Promise(() => undefined) });
    const stopped = runner.stop();
    await pass(6_000);
    await stopped;
    expect(store.heard.at(-1)).toBe('release 1');
  });

  it('tells how many tasks wait and run, also when the count fails', async () => {
    store.add(1, 1, 1);
    await start();
    expect(await metrics.metrics()).toContain('plinth_tasks_waiting{kind="test"} 1');
    expect(await metrics.metrics()).toContain('plinth_tasks_running{kind="test"} 2');
    store.countWaiting = () => Promise.reject(new Error('away'));
    expect(await metrics.metrics()).toContain('plinth_tasks_running{kind="test"} 2');
  });
});
