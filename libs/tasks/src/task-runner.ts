import { failpoint, type Logger } from '@plinth/observability';
import type { Registry } from 'prom-client';
import { TaskMetrics, type TaskOutcome } from './task-metrics';
import type { Claim, TaskStore } from './task-store';
import { throughOutages } from './through-outages';
import { WakeableLoop } from './wakeable-loop';

export interface TaskRunnerOptions<Task extends Claim, Result> {
  /** Names the tasks in metrics and in the log. */
  kind: string;
  store: TaskStore<Task, Result>;
  /**
   * Does a task, which may have been done before, by a process that did not come to say so. Ends early when the signal is
   * aborted: the task belongs to somebody else by now, was cancelled, or the process ends.
   */
  work: (task: Task, signal: AbortSignal) => Promise<Result>;
  /** The most tasks at a time in this process. */
  concurrency: number;
  /** The most tasks of one tenant at a time in this process. */
  tenantConcurrency?: number;
  /** How long work may go on once the process ends, before its signal is aborted. */
  drainMs: number;
  /** The longest time after which tasks are found that nobody announced. */
  pollMs?: number;
  /** Hears of every result that counted, and of the seconds since the claim. */
  onFinished?: (task: Task, result: Result, seconds: number) => void;
  /** What identifies a task in the log. */
  describe: (task: Task) => object;
  logger: Logger;
  metrics: Registry;
}

interface Run {
  done: Promise<void>;
  renewal: WakeableLoop;
}

const POLL_MS = 10_000;
/** Tasks may be due that are not for this process: it does not ask for them all the time. */
const SHORTEST_PAUSE_MS = 1_000;
/** How long work may take to notice that its signal is aborted. */
const ABORTED_WITHIN_MS = 5_000;

/**
 * Claims tasks and does them. Each is done by one process at a time while its lease is renewed in time, and at least once
 * whatever dies: a task whose holder is silent comes up again. An outcome counts only while the claim holds.
 *
 * A task is cancelled by taking it from its holder in the database, by deleting its row or its claim; {@link recheck}
 * makes the holder see it at once.
 */
export class TaskRunner<Task extends Claim, Result> {
  private readonly running = new Map<Task, Run>();
  private readonly stopping = new AbortController();
  private readonly aborting = new AbortController();
  private readonly loop: WakeableLoop;
  private readonly metrics: TaskMetrics;
  private unwatch: () => void = () => undefined;

  constructor(private readonly options: TaskRunnerOptions<Task, Result>) {
    const { kind, logger, pollMs = POLL_MS } = options;
    this.loop = new WakeableLoop(() => this.look(), { name: `look for tasks: ${kind}`, everyMs: pollMs, logger });
    this.metrics = TaskMetrics.of(options.metrics);
  }

  start(): void {
    const { kind, store } = this.options;
    this.unwatch = this.metrics.watch(kind, () => store.countWaiting());
    this.loop.start();
  }

  /** Looks for tasks now; to be called when some were added. */
  wake(): void {
    this.loop.wake();
  }

  /** Looks now whether the tasks that run are still this runner's; to be called when some were cancelled. */
  recheck(): void {
    for (const { renewal } of this.running.values()) renewal.wake();
  }

  /** Takes no more, lets work go on for a while, then aborts it and gives back what is not done. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.unwatch();
    await this.loop.stop();
    await within(this.options.drainMs, this.allDone());
    this.aborting.abort(new Error('The process is stopping'));
    await within(ABORTED_WITHIN_MS, this.allDone());
    await Promise.all([...this.running].map(([task, run]) => this.giveUp(task, run)));
  }

  private allDone(): Promise<unknown> {
    return Promise.all([...this.running.values()].map(({ done }) => done));
  }

  private async look(): Promise<number | undefined> {
    const { store, concurrency } = this.options;
    while (!this.stopping.signal.aborted && this.running.size < concurrency) {
      const task = await store.claim(this.fullTenants());
      if (!task) return this.nextLookMs();
      this.begin(task);
    }
    return undefined;
  }

  private async nextLookMs(): Promise<number | undefined> {
    const due = await this.options.store.nextDueMs();
    return due === undefined ? undefined : Math.max(SHORTEST_PAUSE_MS, due);
  }

  private fullTenants(): number[] {
    const { tenantConcurrency } = this.options;
    if (tenantConcurrency === undefined) return [];
    const tenants = [...this.running.keys()].map(({ tenantId }) => tenantId);
    return [...new Set(tenants)].filter((id) => tenants.filter((each) => each === id).length >= tenantConcurrency);
  }

  private begin(task: Task): void {
    const { kind, store, describe, logger } = this.options;
    if (task.isTakenOver) {
      logger.warn(
        { kind, attempts: task.attempts, ...describe(task) },
        'took over a task whose holder has fallen silent',
      );
    }
    const lost = new AbortController();
    const renew = async (): Promise<void> => {
      if (!(await store.renew(task))) lost.abort(new Error('The task belongs to somebody else, or to nobody'));
    };
    const everyMs = store.leaseMs / 3;
    const renewal = new WakeableLoop(renew, { name: `renew a claim: ${kind}`, everyMs, firstAfterMs: everyMs, logger });
    this.metrics.claimed(kind);
    renewal.start();
    const done = this.run(task, lost.signal, renewal).then((outcome) => {
      this.running.delete(task);
      if (outcome === 'lost')
        logger.warn({ kind, ...describe(task) }, 'lost a task: its lease ran out, or it was cancelled');
      this.metrics.ended(kind, outcome);
      this.wake();
    });
    this.running.set(task, { done, renewal });
  }

  private async run(task: Task, lost: AbortSignal, renewal: WakeableLoop): Promise<TaskOutcome> {
    const { kind, store, work, onFinished } = this.options;
    const startedAt = performance.now();
    try {
      failpoint(`${kind}.after-claim`);
      const result = await work(task, AbortSignal.any([lost, this.aborting.signal]));
      failpoint(`${kind}.before-finish`);
      const outcome = await this.conclude(task, 'finished', () => store.finish(task, result));
      if (outcome === 'finished') onFinished?.(task, result, (performance.now() - startedAt) / 1_000);
      return outcome;
    } catch (error) {
      if (lost.aborted) return 'lost';
      // What fails while the process ends says nothing about the task.
      if (this.stopping.signal.aborted) return await this.conclude(task, 'released', () => this.release(task));
      return await this.fail(task, error);
    } finally {
      await renewal.stop();
      failpoint(`${kind}.after-finish`);
    }
  }

  private fail(task: Task, error: unknown): Promise<TaskOutcome> {
    const { kind, store, describe, logger } = this.options;
    logger.warn({ err: error, kind, attempts: task.attempts, ...describe(task) }, 'a task failed');
    return this.conclude(task, 'failed', () => store.fail(task, error));
  }

  private async giveUp(task: Task, { renewal }: Run): Promise<void> {
    await renewal.stop();
    await this.conclude(task, 'released', () => this.release(task));
  }

  private release(task: Task): Promise<boolean> {
    return this.options.store.release(task);
  }

  /** Never rejects: a claim that could not be concluded runs out, and the task comes up again. */
  private async conclude(task: Task, outcome: TaskOutcome, change: () => Promise<boolean>): Promise<TaskOutcome> {
    const { kind, describe, logger } = this.options;
    try {
      return (await throughOutages(change, this.stopping.signal)) ? outcome : 'lost';
    } catch (error) {
      logger.warn({ err: error, kind, outcome, ...describe(task) }, 'a task could not be concluded');
      return 'lost';
    }
  }
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
