/** A task that somebody holds: the runner that was given this claim, until another is given a later one. */
export interface Claim {
  /** Tells one claim of a task from the next. */
  readonly claimId: string;
  readonly tenantId: number;
  /** Of doing it, this one included. */
  readonly attempts: number;
  /** Whether somebody else held the task until its lease ran out. */
  readonly isTakenOver?: boolean;
}

/**
 * Tasks as rows of a feature. Leases run by the clock of the database alone. Whatever changes a claimed task compares the
 * claim first: each of these answers whether it still held, and has changed nothing otherwise.
 */
export interface TaskStore<Task extends Claim, Result> {
  /** How long a claim holds unless it is renewed. */
  readonly leaseMs: number;
  /** Takes a task that is due and that nobody holds, of none of these tenants; undefined when there is none. */
  claim(exceptTenants: readonly number[]): Promise<Task | undefined>;
  /** Milliseconds until a task that nobody will announce may be due; undefined when there is none. */
  nextDueMs(): Promise<number | undefined>;
  /** Tasks that are due and that nobody holds. */
  countWaiting(): Promise<number>;
  renew(task: Task): Promise<boolean>;
  finish(task: Task, result: Result): Promise<boolean>;
  /** Has the task tried again later, or ends it. */
  fail(task: Task, error: unknown): Promise<boolean>;
  /** Gives the task back as if it had not been tried. */
  release(task: Task): Promise<boolean>;
}
