import { Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { Transaction } from '@plinth/database';
import { DbtPushesRepository, type WaitingPush } from '../sources/dbt-pushes.repository';
import { DbtSyncQueue } from '../syncs/dbt-sync-queue';
import { DbtSyncsRepository } from '../syncs/dbt-syncs.repository';
import { syncBranchName } from './branch-name';

/** Begins a run for the newest push of each deployment, when the one before is over. */
@Injectable()
export class PushedSyncs {
  constructor(
    queue: DbtSyncQueue,
    private readonly pushes: DbtPushesRepository,
    private readonly syncs: DbtSyncsRepository,
  ) {
    queue.beforeClaim((tx) => this.begin(tx));
  }

  private async begin(tx: Transaction): Promise<void> {
    for (const waiting of await this.pushes.waiting(tx)) {
      // Somebody may have started one meanwhile: the push waits for that one, too.
      if (await this.syncs.insertUnlessRunning(tx, runFor(waiting))) await this.pushes.done(tx, waiting.deploymentId);
    }
  }
}

function runFor({ tenantId, deploymentId, push, settings }: WaitingPush) {
  const { userName: authorName } = systemPrincipal(tenantId);
  return {
    ...({ tenantId, deploymentId, trigger: 'webhook', triggerContext: push, source: 'git', output: 'branch' } as const),
    branchName: syncBranchName(settings.branch ?? push.pushedBranch ?? 'git'),
    ...{ gitRef: null, userId: null, authorName, authorEmail: '', manifestOid: null },
  };
}
