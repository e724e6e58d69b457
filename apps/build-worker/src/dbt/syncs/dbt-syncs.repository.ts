import { TaskRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { Claim } from '@plinth/tasks';
import { LessThan } from 'typeorm';
import { DbtSync, type SyncPhase, type SyncStats, type SyncStatus, type SyncTrigger } from './dbt-sync.entity';
import type { SyncOutcome } from './sync-outcome';

/** A run whose lease a worker holds. */
export type ClaimedSync = Claim &
  Pick<
    DbtSync,
    | 'id'
    | 'jobId'
    | 'deploymentId'
    | 'source'
    | 'output'
    | 'gitRef'
    | 'branchName'
    | 'authorName'
    | 'authorEmail'
    | 'manifestOid'
  > & {
    /** Milliseconds from the start of the run to this claim. */
    waitedMs: number;
  };

export type NewSync = Pick<
  DbtSync,
  'tenantId' | 'deploymentId' | 'trigger' | 'source' | 'output' | 'gitRef' | 'branchName' | 'userId'
> &
  Pick<DbtSync, 'authorName' | 'authorEmail' | 'manifestOid' | 'triggerContext'>;

export interface SyncFilter {
  status: SyncStatus | undefined;
  trigger: SyncTrigger | undefined;
}

/** How far a run has come. */
export interface SyncProgress {
  stage: string;
  message: string;
  phases: readonly SyncPhase[];
  stats: SyncStats | null;
}

export const MAX_ATTEMPTS = 3;
/** Longer than all phases together may take. */
const LOST_AFTER_HOURS = 6;

export class DbtSyncsRepository extends TaskRepository<ClaimedSync, SyncOutcome> {
  constructor() {
    super({
      table: 'dbt_sync',
      key: ['id'],
      columns: {
        id: 'id',
        job_id: 'jobId',
        deployment_id: 'deploymentId',
        source: 'source',
        output: 'output',
        git_ref: 'gitRef',
        branch_name: 'branchName',
        author_name: 'authorName',
        author_email: 'authorEmail',
        manifest_oid: 'manifestOid',
        '(extract(epoch from now() - started_at) * 1000)::integer': 'waitedMs',
      },
      leaseSeconds: 15,
      isScheduled: false,
      open: `status = 'RUNNING'`,
      order: 'candidate.id',
    });
  }

  /** @throws AppError `dbt_sync.running` (409) */
  async insert(tx: Transaction, sync: NewSync): Promise<string> {
    this.added(tx);
    const running = () =>
      new AppError('dbt_sync.running', 'A dbt sync of this deployment is running: wait for its end, or cancel it');
    const { identifiers, generatedMaps } = await this.mapUnique({ dbt_sync_running_unique: running }, () =>
      this.managerFor(tx).insert(DbtSync, { ...sync }),
    );
    const [row] = [...generatedMaps, ...identifiers] as { jobId?: string }[];
    if (row?.jobId === undefined) throw new Error('The new row has no job id');
    return row.jobId;
  }

  /** Adds a run that nobody waits for; whether it could be, for another one may run. */
  async insertUnlessRunning(tx: Transaction, sync: NewSync): Promise<boolean> {
    const { raw } = await this.managerFor(tx)
      .createQueryBuilder()
      .insert()
      .into(DbtSync)
      .values({ ...sync } as object)
      .orIgnore()
      .returning('id')
      .execute();
    return (raw as unknown[]).length === 1;
  }

  /** Has workers look for runs, and for pushes that want one, once this is committed. */
  announce(tx: Transaction): void {
    this.added(tx);
  }

  find(tx: Transaction, deploymentId: number, jobId: string): Promise<DbtSync | null> {
    return this.managerFor(tx).findOneBy(DbtSync, { deploymentId, jobId });
  }

  /** Newest first. */
  list(
    tx: Transaction,
    deploymentId: number,
    { status, trigger }: SyncFilter,
    limit: number,
    beforeId?: number,
  ): Promise<DbtSync[]> {
    return this.managerFor(tx).find(DbtSync, {
      where: {
        deploymentId,
        ...(status && { status }),
        ...(trigger && { trigger }),
        ...(beforeId !== undefined && { id: LessThan(beforeId) }),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  /** Whether it was running. Takes it from whoever does it. */
  async cancel(tx: Transaction, id: number): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      `update dbt_sync set status = 'CANCELLED', error_text = 'The dbt sync was cancelled', finished_at = now(),
         updated_at = now(), claim_id = null, lease_expires_at = null, manifest_oid = null
       where id = $1 and status = 'RUNNING'`,
      [id],
    )) as [unknown, number];
    return count === 1;
  }

  /** Ends what keeps dying, and what nobody has taken to an end. */
  async endHopeless(tx: Transaction): Promise<void> {
    await this.managerFor(tx).query(
      `update dbt_sync set finished_at = now(), updated_at = now(), claim_id = null, lease_expires_at = null,
         status = case when attempts >= $1 then 'FAILED' else 'UNKNOWN' end,
         error_text = case when attempts >= $1 then $2 else $3 end
       where status = 'RUNNING' and coalesce(lease_expires_at, '-infinity') < now()
         and (attempts >= $1 or started_at < now() - make_interval(hours => $4))`,
      [MAX_ATTEMPTS, `The dbt sync was interrupted ${MAX_ATTEMPTS} times`, LOST_TEXT, LOST_AFTER_HOURS],
    );
  }

  progress(tx: Transaction, sync: ClaimedSync, { stage, message, phases, stats }: SyncProgress): Promise<boolean> {
    const set = `stage = $1, message = $2, phases = $3, stats = coalesce($4::jsonb, stats), updated_at = now()`;
    const values = [stage, message, JSON.stringify(phases), stats && JSON.stringify(stats)];
    return this.whileClaimed(tx, sync, { set, values });
  }

  finish(tx: Transaction, sync: ClaimedSync, outcome: SyncOutcome): Promise<boolean> {
    const failed = outcome.status === 'FAILED';
    const set = `status = $1, error_text = $2, failed_phase = $3, result = $4, commit_hash = $5, message = $6,
      stage = case when $1 = 'COMPLETED' then 'COMPLETED' else stage end, manifest_oid = null,
      finished_at = now(), updated_at = now()`;
    const values = [
      outcome.status,
      failed ? outcome.error : null,
      failed ? outcome.phase : null,
      failed ? null : JSON.stringify(outcome.details),
      failed ? null : outcome.commit,
      failed ? null : 'Done',
    ];
    return this.giveUp(tx, sync, { set, values });
  }

  /** What the platform is to blame for is tried again, a limited number of times: when the claim runs out. */
  async fail(tx: Transaction, sync: ClaimedSync): Promise<boolean> {
    if (sync.attempts < MAX_ATTEMPTS) return true;
    return this.finish(tx, sync, {
      status: 'FAILED',
      error: 'The platform could not carry out the dbt sync; try again later',
      phase: null,
    });
  }
}

const LOST_TEXT = 'Nobody knows what became of the dbt sync: no worker took it to an end';
