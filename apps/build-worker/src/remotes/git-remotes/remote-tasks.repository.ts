import { BaseRepository, type Transaction } from '@plinth/database';

/** `sync` follows the remote repository on all branches, `push` and `remove` bring one branch there. */
export type TaskKind = 'sync' | 'push' | 'remove';

/** A task whose lease this worker holds, as long as the claim is the last one. */
export interface ClaimedTask {
  tenantId: number;
  deploymentId: number;
  /** Empty for `sync`. */
  branchName: string;
  kind: TaskKind;
  version: number;
  attempts: number;
  claimId: string;
}

export interface FailedTask {
  branchName: string;
  kind: TaskKind;
  attempts: number;
  errorText: string;
  nextAttemptAt: Date;
}

/** Seconds for which a claim holds unless it is renewed. */
const LEASE_SECONDS = 20;
const LONGEST_BACK_OFF_SECONDS = 900;
const MAX_ERROR_TEXT = 2_000;

/**
 * What is still to be done with remote repositories: one row a branch, that says which branch is not in step, not how it
 * came to that. Requests that come while one waits therefore cost nothing, and order needs no care.
 */
export class RemoteTasksRepository extends BaseRepository {
  /** Nothing happens for deployments without a remote repository, and for personal branches. */
  async requestPushes(tx: Transaction, deploymentId: number, branchNames: readonly string[]): Promise<void> {
    await this.managerFor(tx).query(
      `insert into remote_task (tenant_id, deployment_id, branch_name, kind)
       select branch.tenant_id, branch.deployment_id, branch.name, 'push'
       from branch join git_remote remote using (deployment_id)
       where branch.deployment_id = $1 and branch.name = any($2) and branch.kind <> 'dev'
         and remote.connected_at is not null
       ${ON_CONFLICT}`,
      [deploymentId, branchNames],
    );
  }

  requestRemoval(tx: Transaction, deploymentId: number, branchName: string): Promise<void> {
    return this.request(tx, deploymentId, branchName, 'remove');
  }

  requestSync(tx: Transaction, deploymentId: number): Promise<void> {
    return this.request(tx, deploymentId, '', 'sync');
  }

  async claim(tx: Transaction): Promise<ClaimedTask | undefined> {
    const [rows] = (await this.managerFor(tx).query(
      `update remote_task set attempts = attempts + 1, lease_expires_at = now() + make_interval(secs => $1),
         claim_id = gen_random_uuid()
       where (deployment_id, branch_name) = (
         select deployment_id, branch_name from remote_task
         where next_attempt_at <= now() and (lease_expires_at is null or lease_expires_at < now())
         order by next_attempt_at limit 1 for update skip locked)
       returning tenant_id as "tenantId", deployment_id as "deploymentId", branch_name as "branchName", kind, version,
         attempts, claim_id as "claimId"`,
      [LEASE_SECONDS],
    )) as [ClaimedTask[]];
    return rows[0];
  }

  /** Whether the claim still holds. */
  renew(tx: Transaction, task: ClaimedTask): Promise<boolean> {
    return this.whileClaimed(tx, task, 'lease_expires_at = now() + make_interval(secs => $4)', [LEASE_SECONDS]);
  }

  /** Done, unless it was asked for again meanwhile, or somebody else has claimed it. */
  async finish(tx: Transaction, task: ClaimedTask): Promise<void> {
    const { deploymentId, branchName, claimId, version } = task;
    await this.managerFor(tx).query(
      'delete from remote_task where deployment_id = $1 and branch_name = $2 and claim_id = $3 and version = $4',
      [deploymentId, branchName, claimId, version],
    );
    await this.whileClaimed(tx, task, `${UNCLAIMED}, error_text = null`, []);
  }

  /** Given back untried. */
  async release(tx: Transaction, task: ClaimedTask): Promise<void> {
    await this.whileClaimed(tx, task, `${UNCLAIMED}, attempts = greatest(attempts - 1, 0)`, []);
  }

  /** Twice as long after every failure, from two seconds to a quarter of an hour; at once when it was asked for again. */
  async postpone(tx: Transaction, task: ClaimedTask, error: string): Promise<void> {
    const seconds = Math.min(LONGEST_BACK_OFF_SECONDS, 2 ** Math.min(task.attempts, 12));
    const set = `${UNCLAIMED}, error_text = $4,
      next_attempt_at = case when version = $5 then now() + make_interval(secs => $6) else now() end`;
    await this.whileClaimed(tx, task, set, [error.slice(0, MAX_ERROR_TEXT), task.version, seconds]);
  }

  /** The tasks that failed and will be repeated, at most `limit`. */
  listFailed(tx: Transaction, deploymentId: number, limit: number): Promise<FailedTask[]> {
    return this.managerFor(tx).query(
      `select branch_name as "branchName", kind, attempts, error_text as "errorText", next_attempt_at as "nextAttemptAt"
       from remote_task where deployment_id = $1 and error_text is not null order by branch_name limit $2`,
      [deploymentId, limit],
    );
  }

  private async whileClaimed(
    tx: Transaction,
    { deploymentId, branchName, claimId }: ClaimedTask,
    set: string,
    values: readonly unknown[],
  ): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      `update remote_task set ${set} where deployment_id = $1 and branch_name = $2 and claim_id = $3`,
      [deploymentId, branchName, claimId, ...values],
    )) as [unknown, number];
    return count === 1;
  }

  private async request(tx: Transaction, deploymentId: number, branchName: string, kind: TaskKind): Promise<void> {
    await this.managerFor(tx).query(
      `insert into remote_task (tenant_id, deployment_id, branch_name, kind)
       select tenant_id, deployment_id, $2, $3 from git_remote where deployment_id = $1 and connected_at is not null
       ${ON_CONFLICT}`,
      [deploymentId, branchName, kind],
    );
  }
}

const UNCLAIMED = 'lease_expires_at = null, claim_id = null';

const ON_CONFLICT = `on conflict (deployment_id, branch_name) do update
  set kind = excluded.kind, version = remote_task.version + 1, attempts = 0, next_attempt_at = now()`;
