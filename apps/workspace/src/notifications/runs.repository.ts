import { backOffSeconds, TaskRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { Claim } from '@plinth/tasks';

export type RunCause = 'SCHEDULE' | 'REQUEST' | 'PREVIEW';
export type RunOutcome = 'PENDING' | 'DELIVERED' | 'PARTLY_DELIVERED' | 'FAILED' | 'SKIPPED';

/** A run that this process works on, as long as its claim is the last one. */
export interface ClaimedRun extends Claim {
  id: number;
  deploymentId: number;
  notificationId: number;
  cause: RunCause;
  requestedBy: number | null;
  dueAt: Date;
  plannedAt: Date | null;
}

/** How a run ended before anything was delivered; undefined when its deliveries tell. */
export type RunResult = { outcome: 'FAILED' | 'SKIPPED'; reason: string } | undefined;

export interface NewRun {
  tenantId: number;
  deploymentId: number;
  notificationId: number;
  cause: RunCause;
  requestedBy: number | null;
  dueAt: Date;
}

/** A run with what became of its recipients. */
export interface RunRow extends Omit<NewRun, 'tenantId' | 'requestedBy'> {
  id: number;
  startedAt: Date | null;
  endedAt: Date | null;
  outcome: RunOutcome;
  reason: string | null;
  /** Why mails went without the summary that they were to have. */
  summaryProblem: string | null;
  subjects: number;
  planned: number;
  delivered: number;
  failed: number;
  waiting: number;
}

const MOST_ATTEMPTS = 5;
const FIRST_WAIT_SECONDS = 10;
const LONGEST_WAIT_SECONDS = 600;
const KEPT_DAYS = 30;
const LONGEST_REASON = 500;

/** Runs of notifications as tasks: one process at a time works on each, until nothing is left to deliver. */
export class RunsRepository extends TaskRepository<ClaimedRun, RunResult> {
  constructor() {
    super({
      table: 'notification_run',
      key: ['id'],
      columns: {
        id: 'id',
        deployment_id: 'deploymentId',
        notification_id: 'notificationId',
        cause: 'cause',
        requested_by: 'requestedBy',
        due_at: 'dueAt',
        planned_at: 'plannedAt',
      },
      leaseSeconds: 20,
      isScheduled: true,
      order: 'candidate.next_attempt_at',
      open: 'ended_at is null',
    });
  }

  /** The id of the run; undefined when there is one for this time already, or one that somebody asked for is not done. */
  async add(tx: Transaction, run: NewRun): Promise<number | undefined> {
    const { tenantId, deploymentId, notificationId, cause, requestedBy, dueAt } = run;
    const [row] = await this.managerFor(tx).query<{ id: number }[]>(
      `insert into notification_run (tenant_id, deployment_id, notification_id, cause, requested_by, due_at)
       values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
      [tenantId, deploymentId, notificationId, cause, requestedBy, dueAt],
    );
    if (row) this.added(tx);
    return row?.id;
  }

  start(tx: Transaction, run: ClaimedRun): Promise<boolean> {
    return this.whileClaimed(tx, run, { set: 'started_at = coalesce(started_at, now())', values: [] });
  }

  setPlanned(tx: Transaction, run: ClaimedRun, subjects: number): Promise<boolean> {
    return this.whileClaimed(tx, run, { set: 'planned_at = now(), subjects = $1', values: [subjects] });
  }

  async goesWithoutSummary(tx: Transaction, id: number, problem: string): Promise<void> {
    await this.managerFor(tx).query('update notification_run set summary_problem = $2 where id = $1', [
      id,
      problem.slice(0, LONGEST_REASON),
    ]);
  }

  /** Ends the run, or puts it off until the next of its deliveries is due. */
  async finish(tx: Transaction, run: ClaimedRun, result: RunResult): Promise<boolean> {
    if (result) return this.end(tx, run, result.outcome, result.reason);
    const counts = await this.countsOf(tx, run.id);
    const { waiting, nextAttemptAt, delivered, failed, reason } = counts;
    if (waiting > 0) {
      return this.giveUp(tx, run, {
        set: 'attempts = 0, next_attempt_at = coalesce($1, now())',
        values: [nextAttemptAt],
      });
    }
    if (delivered === 0) {
      return failed === 0
        ? this.end(tx, run, 'SKIPPED', 'The notification has no recipients')
        : this.end(tx, run, 'FAILED', reason);
    }
    return this.end(tx, run, failed === 0 ? 'DELIVERED' : 'PARTLY_DELIVERED', reason);
  }

  /** Twice as long after every failure, from ten seconds to ten minutes; ended after some. */
  async fail(tx: Transaction, run: ClaimedRun, error: unknown): Promise<boolean> {
    const isOurs = error instanceof AppError && error.status < 500;
    const reason = error instanceof AppError ? error.message : 'The notification could not be worked on';
    if (isOurs || run.attempts >= MOST_ATTEMPTS) return this.end(tx, run, 'FAILED', reason);
    const seconds = backOffSeconds(run.attempts, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS);
    const set = 'reason = $1, next_attempt_at = now() + make_interval(secs => $2)';
    return this.giveUp(tx, run, { set, values: [reason, seconds] });
  }

  /** Newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, notificationId: number, limit: number, beforeId?: number): Promise<RunRow[]> {
    return this.managerFor(tx).query<RunRow[]>(
      `${rows} where r.notification_id = $1 and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`,
      [notificationId, beforeId ?? null, limit],
    );
  }

  async find(tx: Transaction, id: number): Promise<RunRow> {
    const [row] = await this.managerFor(tx).query<[RunRow]>(`${rows} where r.id = $1`, [id]);
    return row;
  }

  /** Runs that ended long ago. Returns how many it has deleted. */
  async deleteOld(tx: Transaction, limit: number): Promise<number> {
    const [, count] = (await this.managerFor(tx).query(
      `delete from notification_run where id in (
         select id from notification_run where ended_at < now() - make_interval(days => $1) limit $2)`,
      [KEPT_DAYS, limit],
    )) as [unknown, number];
    return count;
  }

  private async end(
    tx: Transaction,
    run: ClaimedRun,
    outcome: Exclude<RunOutcome, 'PENDING'>,
    reason: string | null,
  ): Promise<boolean> {
    const set = 'ended_at = now(), outcome = $1, reason = $2';
    if (!(await this.giveUp(tx, run, { set, values: [outcome, reason?.slice(0, LONGEST_REASON) ?? null] })))
      return false;
    const manager = this.managerFor(tx);
    await manager.query('delete from notification_picture where run_id = $1', [run.id]);
    await manager.query(
      `update notification_delivery set state = 'failed', ended_at = now(), reason = coalesce(reason, $2)
       where run_id = $1 and state in ('planned', 'sending')`,
      [run.id, reason],
    );
    return true;
  }

  private async countsOf(tx: Transaction, id: number): Promise<Counts> {
    const [row] = await this.managerFor(tx).query<[Counts]>(
      `select count(*) filter (where state in ('planned', 'sending'))::int as waiting,
         min(next_attempt_at) filter (where state in ('planned', 'sending')) as "nextAttemptAt",
         count(*) filter (where state = 'sent')::int as delivered,
         count(*) filter (where state = 'failed')::int as failed,
         mode() within group (order by reason) filter (where state = 'failed') as reason
       from notification_delivery where run_id = $1`,
      [id],
    );
    return row;
  }
}

interface Counts {
  waiting: number;
  nextAttemptAt: Date | null;
  delivered: number;
  failed: number;
  /** The most frequent one. */
  reason: string | null;
}

const rows = `
  select r.id, r.deployment_id as "deploymentId", r.notification_id as "notificationId", r.cause, r.due_at as "dueAt",
    r.started_at as "startedAt", r.ended_at as "endedAt", r.outcome, r.reason,
    r.summary_problem as "summaryProblem", r.subjects, d.planned, d.delivered, d.failed,
    d.waiting
  from notification_run r left join lateral (
    select count(*)::int as planned, count(*) filter (where state = 'sent')::int as delivered,
      count(*) filter (where state = 'failed')::int as failed,
      count(*) filter (where state in ('planned', 'sending'))::int as waiting
    from notification_delivery where run_id = r.id
  ) d on true`;
