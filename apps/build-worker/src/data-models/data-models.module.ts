import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { RepositoryStore } from '@plinth/git';
import { BUS, CONFIG } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { BuildWorkerConfig } from '../build-worker.config';
import { BranchFollowers } from './branches/branch-followers';
import { BranchNotices } from './branches/branch-notices';
import { BranchRefs } from './branches/branch-refs';
import { BranchRemoval } from './branches/branch-removal';
import { BranchResolution } from './branches/branch-resolution';
import { BranchesRepository } from './branches/branches.repository';
import { DevSessionsRepository } from './dev-mode/dev-sessions.repository';
import { EffectApplier } from './journal/effect-applier';
import { JournalService } from './journal/journal.service';
import { WriteMetrics } from './journal/write-metrics';
import { WriteTurns } from './journal/write-turns';
import { RepositoriesRepository } from './repositories/repositories.repository';
import { RepositoriesService } from './repositories/repositories.service';
import { RepositoryUpkeep } from './repositories/repository-upkeep';
import { StorageCollection } from './repositories/storage-collection';
import { StorageQuota } from './repositories/storage-quota';
import { StorageUsageRepository } from './repositories/storage-usage.repository';

const store = {
  provide: RepositoryStore,
  inject: [CONFIG, StorageQuota],
  useFactory: ({ storageRoot }: BuildWorkerConfig, quota: StorageQuota) =>
    new RepositoryStore({ root: storageRoot, admit: (id, bytes, repository) => quota.admit(id, bytes, repository) }),
};

const repositories = [store, RepositoriesRepository, RepositoriesService, StorageQuota, StorageUsageRepository];
const branches = [BranchesRepository, BranchResolution, BranchRefs, BranchRemoval, BranchFollowers, BranchNotices];
const writes = [DevSessionsRepository, EffectApplier, JournalService, WriteTurns, WriteMetrics];

/** Repositories with their branches and dev sessions, and the journal through which they change. */
@Module({
  providers: [...repositories, RepositoryUpkeep, StorageCollection, ...branches, ...writes],
  exports: [...repositories, ...branches, ...writes],
})
export class DataModelsModule implements OnApplicationShutdown {
  constructor(
    private readonly store: RepositoryStore,
    branches: BranchesRepository,
    @Inject(BUS) bus: Bus,
  ) {
    branches.onChanged(() => bus.publish({ topic: 'build-worker.branch.changed', payload: {} }));
  }

  onApplicationShutdown(): Promise<void> {
    return this.store.close();
  }
}
