import { BaseRepository, type Transaction } from '@plinth/database';
import type { BuildRequest } from '../data-models';
import { Build } from './build.entity';

/** A build whose lease this worker holds. `attempts` tells one claim of a build from the next. */
export type ClaimedBuild = Pick<
  Build,
  'id' | 'tenantId' | 'deploymentId' | 'branchName' | 'commitHash' | 'workerId' | 'attempts' | 'createdAt'
>;

/** Seconds for which a claim holds unless it is renewed. */
export const LEASE_SECONDS = 10;
export const MAX_ATTEMPTS = 3;

export class BuildsRepository extends BaseRepository {
  async insert(tx: Transaction, build: BuildRequest): Promise<void> {
    await this.managerFor(tx).insert(Build, { ...pick(build), status: 'queued' });
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

  /** What production runs. */
  findNewestBuilt(tx: Transaction, deploymentId: number, branchName: string): Promise<Build | null> {
    return this.managerFor(tx).findOne(Build, {
      where: { deploymentId, branchName, status: 'built' },
      order: { id: 'DESC' },
    });
  }

  /**
   * Takes a build that may run, of the tenant for which the fewest are being built, and of these the oldest: a queued one of a deployment where nothing is being built, or one whose
   * worker has died. The unique index on running builds decides when two workers want builds of one deployment.
   */
  async claim(tx: Transaction, workerId: string, exceptTenants: readonly number[]): Promise<ClaimedBuild | undefined> {
    const [rows] = (await this.managerFor(tx).query(
      `update build set status = 'building', worker_id = $1, attempts = attempts + 1,
         lease_expires_at = now() + make_interval(secs => $2), started_at = now()
       where id = (
         select candidate.id from build candidate left join (
           select tenant_id, count(*) as builds from build
           where status = 'building' and lease_expires_at >= now() group by tenant_id
         ) busy on busy.tenant_id = candidate.tenant_id
         where candidate.tenant_id <> all($3)
           and ((status = 'queued' and not exists (
                  select from build running
                  where running.deployment_id = candidate.deployment_id and running.status = 'building'))
             or (status = 'building' and lease_expires_at < now()))
         order by coalesce(busy.builds, 0), candidate.id limit 1 for update of candidate skip locked)
       returning id, tenant_id as "tenantId", deployment_id as "deploymentId", branch_name as "branchName",
         commit_hash as "commitHash", worker_id as "workerId", attempts, created_at as "createdAt"`,
      [workerId, LEASE_SECONDS, exceptTenants],
    )) as [ClaimedBuild[]];
    return rows[0];
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

  /** Whether the claim still holds. */
  renew(tx: Transaction, claim: ClaimedBuild): Promise<boolean> {
    return this.whileClaimed(tx, claim, 'lease_expires_at = now() + make_interval(secs => $4)', [LEASE_SECONDS]);
  }

  /** Whether the claim still held; otherwise somebody else decides. */
  finish(
    tx: Transaction,
    claim: ClaimedBuild,
    result: { status: 'built' | 'failed'; errorText: string | null },
  ): Promise<boolean> {
    const set = `status = $4, error_text = $5, finished_at = now(), lease_expires_at = null`;
    return this.whileClaimed(tx, claim, set, [result.status, result.errorText]);
  }

  /** Gives the build back untried; it is cancelled when a newer one of its branch waits already. */
  release(tx: Transaction, claim: ClaimedBuild): Promise<boolean> {
    const superseded = `exists (
      select from build newer where newer.deployment_id = build.deployment_id
        and newer.branch_name = build.branch_name and newer.status = 'queued' and newer.id > build.id)`;
    const set = `status = case when ${superseded} then 'cancelled' else 'queued' end,
      attempts = attempts - 1, worker_id = null, lease_expires_at = null, started_at = null`;
    return this.whileClaimed(tx, claim, set, []);
  }

  async countWaiting(tx: Transaction): Promise<{ queued: number; oldestSeconds: number }> {
    const [waiting] = (await this.managerFor(tx).query(
      `select count(*) as queued, coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as "oldestSeconds"
       from build where status = 'queued'`,
    )) as [{ queued: number; oldestSeconds: number }];
    return waiting;
  }

  private async whileClaimed(
    tx: Transaction,
    { id, workerId, attempts }: ClaimedBuild,
    set: string,
    values: readonly unknown[],
  ): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      `update build set ${set} where id = $1 and worker_id = $2 and attempts = $3 and status = 'building'`,
      [id, workerId, attempts, ...values],
    )) as [unknown, number];
    return count === 1;
  }
}

const pick = ({ tenantId, deploymentId, branchName, commitHash, treeHash }: BuildRequest): BuildRequest => ({
  tenantId,
  deploymentId,
  branchName,
  commitHash,
  treeHash,
});
