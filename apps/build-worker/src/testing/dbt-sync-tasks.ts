import { systemPrincipal } from '@plinth/auth';
import { taskStoreOf } from '@plinth/database';
import type { TaskSubject } from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import { DbtSyncsRepository, type ClaimedSync } from '../dbt/syncs/dbt-syncs.repository';
import type { SyncOutcome } from '../dbt/syncs/sync-outcome';
import { newRepository } from './new-repository';

export const subject: TaskSubject<ClaimedSync, SyncOutcome> = {
  kind: 'dbt-sync',
  schema: buildWorkerSchema,
  table: 'dbt_sync',
  isScheduled: false,
  storeOf: (database) => taskStoreOf(database, new DbtSyncsRepository()),
  result: { status: 'FAILED', error: 'for a reason', phase: 'manifest' },
  add: async (database, tenantId) => {
    const deploymentId = await newRepository(database, tenantId);
    const { userName, email } = systemPrincipal(tenantId);
    await database.transaction(tenantId, (tx) =>
      new DbtSyncsRepository().insert(tx, {
        ...{ tenantId, deploymentId, trigger: 'api', triggerContext: null, source: 'manifest', output: 'files' },
        ...{ gitRef: null, branchName: 'x', userId: null, authorName: userName, authorEmail: email ?? '' },
        manifestOid: null,
      }),
    );
  },
};
