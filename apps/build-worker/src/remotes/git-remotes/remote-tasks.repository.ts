import { backOffSeconds, TaskRepository, type Transaction } from '@plinth/database';
import type { Claim } from '@plinth/tasks';
import { textOf } from './remote-errors';

/** `sync` follows the remote repository on all branches, `push` and `remove` bring one branch there. */
export type TaskKind = 'sync' | 'push' | 'remove';

/** A task whose lease this worker holds, as long as the claim is the last one. */
export interface ClaimedTask extends Claim {
  deploymentId: number;
  /** Empty for `sync`. */
  branchName: string;
  kind: TaskKind;
  version: number;
}

export interface FailedTask {
  branchName: string;
  kind: TaskKind;
  attempts: number;
  errorText: string;
  nextAttemptAt: Date;
}

const FIRST_BACK_OFF_SECONDS = 2;
const LONGEST_BACK_OFF_SECONDS = 900;
const MAX_ERROR_TEXT = 2_000;

/**
 * What is still to be done with remote repositories: one row a branch, that says which branch is not in step, not how it
 * came to that. Requests that come while one waits therefore cost nothing, and order needs no care.
 */
export class RemoteTasksRepository extends TaskRepository<ClaimedTask, void> {
  constructor() {
    super({
      table: 'remote_task',
      key: ['deployment_id', 'branch_name'],
      columns: { deployment_id: 'deploymentId', branch_name: 'branchName', kind: 'kind', version: 'version' },
      leaseSeconds: 20,
      isScheduled: true,
      order: 'candidate.next_attempt_at',
    });
  }

  /** Nothing happens for deployments without a remote repository, and for personal branches. */
  async requestPushes(tx: Transaction, deploymentId: number, branchNames: readonly string[]): Promise<void> {
    await this.add(
      tx,
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

  /** Done, unless it was asked for again meanwhile. */
  async finish(tx: Transaction, task: ClaimedTask): Promise<boolean> {
    if (await this.removeClaimed(tx, task, 'version = $1', [task.version])) return true;
    return this.giveUp(tx, task, { set: 'error_text = null', values: [] });
  }

  /** Twice as long after every failure, from two seconds to a quarter of an hour; at once when it was asked for again. */
  fail(tx: Transaction, task: ClaimedTask, error: unknown): Promise<boolean> {
    const seconds = backOffSeconds(task.attempts, FIRST_BACK_OFF_SECONDS, LONGEST_BACK_OFF_SECONDS);
    const text = textOf(error) ?? 'It failed and will be repeated';
    const set = `error_text = $1,
      next_attempt_at = case when version = $2 then now() + make_interval(secs => $3) else now() end`;
    return this.giveUp(tx, task, { set, values: [text.slice(0, MAX_ERROR_TEXT), task.version, seconds] });
  }

  /** The tasks that failed and will be repeated, at most `limit`. */
  listFailed(tx: Transaction, deploymentId: number, limit: number): Promise<FailedTask[]> {
    return this.managerFor(tx).query(
      `select branch_name as "branchName", kind, attempts, error_text as "errorText", next_attempt_at as "nextAttemptAt"
       from remote_task where deployment_id = $1 and error_text is not null order by branch_name limit $2`,
      [deploymentId, limit],
    );
  }

  private async request(tx: Transaction, deploymentId: number, branchName: string, kind: TaskKind): Promise<void> {
    await this.add(
      tx,
      `insert into remote_task (tenant_id, deployment_id, branch_name, kind)
       select tenant_id, deployment_id, $2, $3 from git_remote where deployment_id = $1 and connected_at is not null
       ${ON_CONFLICT}`,
      [deploymentId, branchName, kind],
    );
  }

  private async add(tx: Transaction, insert: string, values: readonly unknown[]): Promise<void> {
    const rows = (await this.managerFor(tx).query(`${insert} returning kind`, [...values])) as unknown[];
    if (rows.length > 0) this.added(tx);
  }
}

const ON_CONFLICT = `on conflict (deployment_id, branch_name) do update
  set kind = excluded.kind, version = remote_task.version + 1, attempts = 0, next_attempt_at = now()`;
