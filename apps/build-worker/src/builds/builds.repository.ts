import { TaskRepository, type Transaction } from '@plinth/database';
import type { Claim } from '@plinth/tasks';
import { MoreThanOrEqual } from 'typeorm';
import type { BuildRequest } from '../data-models';
import { Build } from './build.entity';

/** A build whose lease a worker holds. */
export type ClaimedBuild = Claim & Pick<Build, 'id' | 'deploymentId' | 'branchName' | 'commitHash'>;

export interface BuildOutcome {
  status: 'built' | 'failed';
  errorText: string | null;
}

export const MAX_ATTEMPTS = 3;

export class BuildsRepository extends TaskRepository<ClaimedBuild, BuildOutcome> {
  constructor() {
    super({
      table: 'build',
      key: ['id'],
      columns: { id: 'id', deployment_id: 'deploymentId', branch_name: 'branchName', commit_hash: 'commitHash' },
      leaseSeconds: 10,
      isScheduled: false,
      open: `status in ('queued', 'building')`,
      ready: `candidate.status = 'building' or not exists (
        select from build running where running.deployment_id = candidate.deployment_id and running.status = 'building')`,
      order: 'candidate.id',
    });
  }

  async insert(tx: Transaction, build: BuildRequest): Promise<void> {
    await this.managerFor(tx).insert(Build, { ...pick(build), status: 'queued' });
    this.added(tx);
  }

  /** Queued builds of the branch give way; a running one is not touched. */
  async cancelQueued(tx: Transaction, deploymentId: number, branchName: string): Promise<void> {
    await this.managerFor(tx)
      .createQueryBuilder()
      .update(Build)
      .set({ status: 'cancelled', finishedAt: () => 'now()' })
      .where({ deploymentId, branchName, status: 'queued' })
      .execute();
  }

  /** The newest build since the branch exists: an earlier branch may have had its name. */
  findNewest(tx: Transaction, deploymentId: number, branchName: string, since: Date): Promise<Build | null> {
    return this.managerFor(tx)
      .createQueryBuilder(Build, 'build')
      .where('build.deploymentId = :deploymentId and build.branchName = :branchName')
      .andWhere('build.createdAt >= :since')
      .setParameters({ deploymentId, branchName, since })
      .orderBy('build.id', 'DESC')
      .getOne();
  }

  /** What the branch serves; of those since `since`, when it is given, as in {@link findNewest}. */
  findNewestBuilt(tx: Transaction, deploymentId: number, branchName: string, since?: Date): Promise<Build | null> {
    return this.managerFor(tx).findOne(Build, {
      where: { deploymentId, branchName, status: 'built', ...(since && { createdAt: MoreThanOrEqual(since) }) },
      order: { id: 'DESC' },
    });
  }

  /**
   * Takes a build that may run: a queued one of a deployment where nothing is being built, or one whose worker has died.
   * The unique index on running builds decides when two workers want builds of one deployment.
   */
  claimFor(tx: Transaction, workerId: string, exceptTenants: readonly number[]): Promise<ClaimedBuild | undefined> {
    const set = `status = 'building', worker_id = $1, started_at = now()`;
    return this.claim(tx, exceptTenants, { set, values: [workerId] });
  }

  /** Builds whose workers keep dying would otherwise go round for ever. */
  async failExhausted(tx: Transaction, errorText: string): Promise<number> {
    const [, count] = (await this.managerFor(tx).query(
      `update build set status = 'failed', error_text = $1, finished_at = now()
       where status = 'building' and lease_expires_at < now() and attempts >= $2`,
      [errorText, MAX_ATTEMPTS],
    )) as [unknown, number];
    return count;
  }

  finish(tx: Transaction, build: ClaimedBuild, { status, errorText }: BuildOutcome): Promise<boolean> {
    const set = 'status = $1, error_text = $2, finished_at = now()';
    return this.giveUp(tx, build, { set, values: [status, errorText] });
  }

  /** Nothing: the claim runs out, and until then nobody tries again. */
  fail(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Gives the build back untried; it is cancelled when a newer one of its branch waits already. */
  override release(tx: Transaction, build: ClaimedBuild): Promise<boolean> {
    const superseded = `exists (
      select from build newer where newer.deployment_id = build.deployment_id
        and newer.branch_name = build.branch_name and newer.status = 'queued' and newer.id > build.id)`;
    const set = `status = case when ${superseded} then 'cancelled' else 'queued' end, worker_id = null, started_at = null`;
    return super.release(tx, build, { set, values: [] });
  }

  async countQueued(tx: Transaction): Promise<{ queued: number; oldestSeconds: number }> {
    const [waiting] = (await this.managerFor(tx).query(
      `select count(*) as queued, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
       from build where status = 'queued'`,
    )) as [{ queued: number; oldestSeconds: number }];
    return waiting;
  }
}

const pick = ({ tenantId, deploymentId, branchName, commitHash, treeHash }: BuildRequest): BuildRequest => ({
  tenantId,
  deploymentId,
  branchName,
  commitHash,
  treeHash,
});
