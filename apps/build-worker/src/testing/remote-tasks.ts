import { taskStoreOf } from '@plinth/database';
import type { TaskSubject } from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import { RemoteTasksRepository, type ClaimedTask } from '../remotes/git-remotes/remote-tasks.repository';
import { newRepository } from './new-repository';

export const subject: TaskSubject<ClaimedTask, void> = {
  kind: 'remote',
  schema: buildWorkerSchema,
  table: 'remote_task',
  isScheduled: true,
  storeOf: (database) => taskStoreOf(database, new RemoteTasksRepository()),
  result: undefined,
  add: async (database, tenantId) => {
    const deploymentId = await newRepository(database, tenantId);
    const text = `insert into git_remote (deployment_id, tenant_id, kind, url, connected_at)
      values ($1, $2, 'ssh', 'x', now())`;
    await database.readAsSystem({ name: 'new-remote', text }, [deploymentId, tenantId]);
    await database.transaction(tenantId, (tx) => new RemoteTasksRepository().requestSync(tx, deploymentId));
  },
};
