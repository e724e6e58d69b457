import type { Database } from '@plinth/database';
import type { Bus } from '@plinth/messaging';
import type { TaskSubject } from '@plinth/testing';
import { buildWorkerSchema } from '../build-worker.schema';
import { BuildQueue } from '../builds/build-queue';
import { BuildsRepository, type BuildOutcome, type ClaimedBuild } from '../builds/builds.repository';
import { BranchNotices } from '../data-models';
import { newRepository } from './new-repository';

const bus = { publish: () => undefined, subscribe: () => () => undefined } as unknown as Bus;
const queueOf = (database: Database, workerId: string) =>
  new BuildQueue(database, new BuildsRepository(), bus, { workerId }, new BranchNotices(bus));

export const subject: TaskSubject<ClaimedBuild, BuildOutcome> = {
  kind: 'build',
  schema: buildWorkerSchema,
  table: 'build',
  isScheduled: false,
  storeOf: queueOf,
  result: { status: 'built', errorText: null },
  add: async (database, tenantId) => {
    const deploymentId = await newRepository(database, tenantId);
    const hashes = { commitHash: 'a'.repeat(40), treeHash: 'b'.repeat(40) };
    await database.transaction(tenantId, (tx) =>
      queueOf(database, 'any').add(tx, { tenantId, deploymentId, branchName: 'main', ...hashes }),
    );
  },
};
