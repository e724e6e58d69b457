import { Counter, Gauge, type Registry } from 'prom-client';

/** What became of a claim; `lost` when somebody else had the task before this runner was done. */
export type TaskOutcome = 'finished' | 'failed' | 'released' | 'lost';

/** Figures of all kinds of tasks in a process. */
export class TaskMetrics {
  /** Services of one process share a registry, which takes each metric once. */
  private static readonly known = new WeakMap<Registry, TaskMetrics>();

  private readonly waiting = new Map<string, () => Promise<number>>();
  private readonly events: Counter<'kind' | 'event'>;
  private readonly running: Gauge<'kind'>;

  private constructor(registry: Registry) {
    const registers = [registry];
    this.events = new Counter({
      name: 'plinth_tasks_total',
      help: 'Durable tasks that this process claimed, and what became of the claims, by kind',
      labelNames: ['kind', 'event'],
      registers,
    });
    this.running = new Gauge({
      name: 'plinth_tasks_running',
      help: 'Durable tasks that this process works on, by kind',
      labelNames: ['kind'],
      registers,
    });
    const { waiting } = this;
    new Gauge({
      name: 'plinth_tasks_waiting',
      help: 'Durable tasks that are due and that no process works on, by kind',
      labelNames: ['kind'],
      registers,
      async collect() {
        this.reset();
        // A database that is away takes its own figures with it, and no others.
        await Promise.allSettled([...waiting].map(async ([kind, count]) => this.set({ kind }, await count())));
      },
    });
  }

  static of(registry: Registry): TaskMetrics {
    const metrics = this.known.get(registry) ?? new TaskMetrics(registry);
    this.known.set(registry, metrics);
    return metrics;
  }

  /** Has the tasks that wait counted whenever figures are asked for, until the returned function is called. */
  watch(kind: string, count: () => Promise<number>): () => void {
    this.waiting.set(kind, count);
    return () => this.waiting.delete(kind);
  }

  claimed(kind: string): void {
    this.events.inc({ kind, event: 'claimed' });
    this.running.inc({ kind });
  }

  ended(kind: string, outcome: TaskOutcome): void {
    this.events.inc({ kind, event: outcome });
    this.running.dec({ kind });
  }
}
