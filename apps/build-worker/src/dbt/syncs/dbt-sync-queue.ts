import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { Database, taskStoreOf, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { RepositoryNotFoundError } from '@plinth/git';
import type { TaskStore } from '@plinth/tasks';
import {
  BranchesRepository,
  BranchFollowers,
  BranchRefs,
  type DataModel,
  RepositoriesService,
  unknownBranch,
  WriteTurns,
} from '../../data-models';
import { DbtSyncLogsRepository } from './dbt-sync-logs.repository';
import { DbtSyncsRepository, type ClaimedSync } from './dbt-syncs.repository';
import type { SyncOutcome } from './sync-outcome';

type Completed = Extract<SyncOutcome, { status: 'COMPLETED' }>;

/**
 * Runs as rows that workers claim. The branch of a run appears in the transaction that completes it: a run that was cancelled,
 * or lost to another worker, leaves none.
 */
@Injectable()
export class DbtSyncQueue implements TaskStore<ClaimedSync, SyncOutcome> {
  readonly leaseMs: number;
  private readonly tasks: TaskStore<ClaimedSync, SyncOutcome>;
  private readonly stepsBeforeClaims: ((tx: Transaction) => Promise<void>)[] = [];

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly syncs: DbtSyncsRepository,
    private readonly logs: DbtSyncLogsRepository,
    private readonly repositories: RepositoriesService,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly followers: BranchFollowers,
    private readonly turns: WriteTurns,
  ) {
    this.tasks = taskStoreOf(database, syncs);
    this.leaseMs = this.tasks.leaseMs;
  }

  /** Has something done whenever this worker looks for runs, in the same transaction. */
  beforeClaim(step: (tx: Transaction) => Promise<void>): void {
    this.stepsBeforeClaims.push(step);
  }

  claim(exceptTenants: readonly number[] = []): Promise<ClaimedSync | undefined> {
    return this.database.asSystem(async (tx) => {
      await this.syncs.endHopeless(tx);
      for (const step of this.stepsBeforeClaims) await step(tx);
      return this.syncs.claim(tx, exceptTenants);
    });
  }

  async finish(sync: ClaimedSync, outcome: SyncOutcome): Promise<boolean> {
    if (outcome.status === 'FAILED') return this.end(sync, outcome);
    try {
      return await this.complete(sync, outcome);
    } catch (error) {
      const refused = error instanceof AppError && !error.code.startsWith('service.');
      if (!refused && !(error instanceof RepositoryNotFoundError)) throw error;
      return this.end(sync, { status: 'FAILED', error: error.message, phase: 'finalise' });
    }
  }

  fail(sync: ClaimedSync, error: unknown): Promise<boolean> {
    return this.tasks.fail(sync, error);
  }

  renew(sync: ClaimedSync): Promise<boolean> {
    return this.tasks.renew(sync);
  }

  release(sync: ClaimedSync): Promise<boolean> {
    return this.tasks.release(sync);
  }

  nextDueMs(): Promise<number | undefined> {
    return this.tasks.nextDueMs();
  }

  countWaiting(): Promise<number> {
    return this.tasks.countWaiting();
  }

  private complete(sync: ClaimedSync, outcome: Completed): Promise<boolean> {
    const { tenantId, deploymentId, output } = sync;
    if (output === 'files') return this.end(sync, outcome);
    return this.turns.run(systemPrincipal(tenantId), deploymentId, async () => {
      const model = await this.repositories.openExisting(tenantId, deploymentId);
      return this.database.transaction(tenantId, async (tx) => {
        if (!(await this.syncs.finish(tx, sync, outcome))) return false;
        await this.addBranch(tx, model, sync, outcome);
        await this.tell(tx, sync, `The branch ${sync.branchName} was made`);
        return true;
      });
    });
  }

  private end(sync: ClaimedSync, outcome: SyncOutcome): Promise<boolean> {
    return this.database.transaction(sync.tenantId, async (tx) => {
      if (!(await this.syncs.finish(tx, sync, outcome))) return false;
      await this.tell(tx, sync, outcome.status === 'FAILED' ? outcome.error : 'The files are ready', outcome.status);
      return true;
    });
  }

  private async addBranch(tx: Transaction, model: DataModel, sync: ClaimedSync, { commit }: Completed): Promise<void> {
    const { tenantId, deploymentId, branchName: name } = sync;
    const parent = await this.branches.findDeployBranch(tx, deploymentId);
    if (!parent) throw unknownBranch('to deploy');
    const branch = { tenantId, deploymentId, name, kind: 'shared', parentId: parent.id, startCommit: commit } as const;
    await this.branches.insert(tx, branch);
    await this.refs.place(tx, model, name, commit);
    await this.followers.moved(tx, deploymentId, [name]);
  }

  private tell(tx: Transaction, sync: ClaimedSync, message: string, status = 'COMPLETED'): Promise<void> {
    const level = status === 'FAILED' ? 'error' : 'info';
    return this.logs.append(tx, sync, [{ level, stream: 'system', phase: null, durationMs: null, message }]);
  }
}
