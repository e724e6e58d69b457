import type { Claim, TaskStore } from '@plinth/tasks';
import { BaseRepository } from './base-repository';
import type { Database } from './database';
import type { Transaction } from './transaction';

/**
 * How the rows of a table are tasks. The table has, beside its own columns, `tenant_id bigint`, `attempts integer`,
 * `claim_id uuid` and `lease_expires_at timestamptz`, the last two null while nobody holds the task.
 */
export interface TaskTable<Task> {
  table: string;
  key: readonly string[];
  /** What a runner is told of a task, the key included: columns and the properties for them. */
  columns: Readonly<Record<string, keyof Task & string>>;
  leaseSeconds: number;
  /** Whether rows have `next_attempt_at timestamptz`, before which nobody takes them. */
  isScheduled: boolean;
  /** Which of those that are equally fair come first; over `candidate`. */
  order: string;
  /** Which rows are tasks, when others stay in the table; the condition of an index, word for word. */
  open?: string;
  /** What else must hold for a task to be taken; over `candidate`. */
  ready?: string;
}

/** Changes of a row beside those of the claim: assignments, with `$1`, `$2` and so on for the values. */
export interface RowChange {
  set: string;
  values: readonly unknown[];
}

const UNCLAIMED = 'claim_id = null, lease_expires_at = null';

/**
 * Tasks as rows of a feature's table: claimed by one at a time, for as long as the lease is renewed, by the database's
 * clock. Tenants take turns: the next task is of a tenant for which the fewest are being done.
 */
export abstract class TaskRepository<Task extends Claim, Result> extends BaseRepository {
  readonly leaseMs: number;
  private readonly listeners = new Set<() => void>();
  private readonly open: string;
  private readonly unheld: string;

  protected constructor(private readonly tasks: TaskTable<Task>) {
    super();
    this.leaseMs = tasks.leaseSeconds * 1_000;
    this.open = tasks.open ?? 'true';
    const due = tasks.isScheduled ? 'and candidate.next_attempt_at <= now()' : '';
    this.unheld = `(candidate.lease_expires_at is null or candidate.lease_expires_at < now()) ${due}`;
  }

  /** Calls the listener whenever a commit of this process has added tasks. Returns the function that ends that. */
  onAdded(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Concludes a task that was done. Whether the claim still held, as all of these. */
  abstract finish(tx: Transaction, task: Task, result: Result): Promise<boolean>;

  /** Concludes an attempt that failed. */
  abstract fail(tx: Transaction, task: Task, error: unknown): Promise<boolean>;

  /** Takes a task that is due and that nobody holds, of none of these tenants. */
  async claim(
    tx: Transaction,
    exceptTenants: readonly number[] = [],
    { set, values }: RowChange = { set: '', values: [] },
  ): Promise<Task | undefined> {
    const { table, key, leaseSeconds, order, ready = 'true' } = this.tasks;
    const [lease, except] = [`$${values.length + 1}`, `$${values.length + 2}`];
    const [rows] = (await this.managerFor(tx).query(
      `update ${table} set claim_id = gen_random_uuid(), attempts = attempts + 1,
         lease_expires_at = now() + make_interval(secs => ${lease}) ${set && `, ${set}`}
       where (${key.join(', ')}) = (
         select ${key.map((column) => `candidate.${column}`).join(', ')}
         from ${table} candidate left join (
           select tenant_id, count(*) as held from ${table} where ${this.open} and lease_expires_at >= now()
           group by tenant_id
         ) busy on busy.tenant_id = candidate.tenant_id
         where ${this.open} and ${this.unheld} and (${ready}) and candidate.tenant_id <> all(${except})
         order by coalesce(busy.held, 0), ${order} limit 1 for update of candidate skip locked)
       returning ${this.returned()}, ${this.wasHeld()} as "isTakenOver"`,
      [...values, leaseSeconds, exceptTenants],
    )) as [Task[]];
    return rows[0];
  }

  /** Milliseconds until a task that waits for its time, or whose holder may be dead, comes up. */
  async nextDueMs(tx: Transaction): Promise<number | undefined> {
    const { table, isScheduled } = this.tasks;
    const due = isScheduled ? 'greatest(next_attempt_at, lease_expires_at)' : 'lease_expires_at';
    const [row] = (await this.managerFor(tx).query(
      `select (extract(epoch from min(${due}) - now()) * 1000)::float8 as "dueMs" from ${table} where ${this.open}`,
    )) as [{ dueMs: number | null }];
    return row.dueMs ?? undefined;
  }

  /** Tasks that are due and that nobody holds. */
  async countWaiting(tx: Transaction): Promise<number> {
    const [row] = (await this.managerFor(tx).query(
      `select count(*)::integer as waiting from ${this.tasks.table} candidate where ${this.open} and ${this.unheld}`,
    )) as [{ waiting: number }];
    return row.waiting;
  }

  renew(tx: Transaction, task: Task): Promise<boolean> {
    const set = 'lease_expires_at = now() + make_interval(secs => $1)';
    return this.whileClaimed(tx, task, { set, values: [this.tasks.leaseSeconds] });
  }

  /** Gives the task back as if it had not been tried. */
  release(tx: Transaction, task: Task, { set, values }: RowChange = { set: '', values: [] }): Promise<boolean> {
    const untried = `attempts = greatest(attempts - 1, 0) ${set && `, ${set}`}`;
    return this.giveUp(tx, task, { set: untried, values });
  }

  /** To be called in a transaction that adds tasks. */
  protected added(tx: Transaction): void {
    tx.onCommit(() => {
      for (const listener of this.listeners) listener();
    });
  }

  /** Changes the row of a claimed task, for example how far it has come. */
  protected async whileClaimed(tx: Transaction, task: Task, { set, values }: RowChange): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      `update ${this.tasks.table} set ${set} where ${this.isClaimed(values.length)}`,
      [...values, ...this.claimOf(task)],
    )) as [unknown, number];
    return count === 1;
  }

  /** Ends the claim with a change of the row. */
  protected giveUp(tx: Transaction, task: Task, { set, values }: RowChange): Promise<boolean> {
    return this.whileClaimed(tx, task, { set: `${UNCLAIMED}, ${set}`, values });
  }

  /** Deletes a claimed task, if this holds as well: a condition with `$1`, `$2` and so on for the values. */
  protected async removeClaimed(
    tx: Transaction,
    task: Task,
    condition = 'true',
    values: readonly unknown[] = [],
  ): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      `delete from ${this.tasks.table} where ${condition} and ${this.isClaimed(values.length)}`,
      [...values, ...this.claimOf(task)],
    )) as [unknown, number];
    return count === 1;
  }

  private returned(): string {
    const columns = { tenant_id: 'tenantId', claim_id: 'claimId', attempts: 'attempts', ...this.tasks.columns };
    return Object.entries(columns)
      .map(([column, property]) => `${column} as "${property}"`)
      .join(', ');
  }

  /** A query in `returning` sees the row as it was before the statement. */
  private wasHeld(): string {
    const { table, key } = this.tasks;
    const same = key.map((column) => `earlier.${column} = ${table}.${column}`).join(' and ');
    return `(select earlier.claim_id is not null from ${table} earlier where ${same})`;
  }

  private isClaimed(before: number): string {
    const claim = [...this.tasks.key, 'claim_id'].map((column, index) => `${column} = $${before + index + 1}`);
    return [this.open, ...claim].join(' and ');
  }

  private claimOf(task: Task): unknown[] {
    const { key, columns } = this.tasks;
    return [...key.map((column) => task[columns[column] as keyof Task]), task.claimId];
  }
}

/** Seconds until the next attempt: twice as long after every one that failed, between two bounds. */
export const backOffSeconds = (attempts: number, first: number, longest: number): number =>
  Math.min(longest, first * 2 ** Math.min(Math.max(attempts - 1, 0), 30));

/** The tasks of a repository, as a runner takes them. */
export function taskStoreOf<Task extends Claim, Result>(
  database: Database,
  tasks: TaskRepository<Task, Result>,
): TaskStore<Task, Result> {
  return {
    leaseMs: tasks.leaseMs,
    claim: (exceptTenants) => database.asSystem((tx) => tasks.claim(tx, exceptTenants)),
    nextDueMs: () => database.asSystem((tx) => tasks.nextDueMs(tx)),
    countWaiting: () => database.asSystem((tx) => tasks.countWaiting(tx)),
    renew: (task) => database.asSystem((tx) => tasks.renew(tx, task)),
    finish: (task, result) => database.asSystem((tx) => tasks.finish(tx, task, result)),
    fail: (task, error) => database.asSystem((tx) => tasks.fail(tx, task, error)),
    release: (task) => database.asSystem((tx) => tasks.release(tx, task)),
  };
}
