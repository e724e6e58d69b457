import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { RepositoryNotFoundError } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import type { BuildWorkerConfig } from '../../build-worker.config';
import { RepositoriesService } from './repositories.service';
import { StorageQuota } from './storage-quota';
import { StorageUsageRepository, type RepositoryKey } from './storage-usage.repository';

/** Longer than any request, fetch or recovery takes from storing an object to referring to it. */
const LEAST_AGE_MS = 7_200_000;

/** Drops what uploads left in repositories: files of those that were abandoned, and files that were replaced. */
@Injectable()
export class StorageCollection {
  private readonly ageMs: number;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) { uploadLifetimeMs }: BuildWorkerConfig,
    private readonly repositories: RepositoriesService,
    private readonly usage: StorageUsageRepository,
    private readonly quota: StorageQuota,
  ) {
    this.ageMs = Math.max(2 * uploadLifetimeMs, LEAST_AGE_MS);
  }

  /** A repository that no other worker collects and that is due; undefined when there is none. */
  claim(): Promise<RepositoryKey | undefined> {
    return this.database.asSystem((tx) => this.usage.claimCollection(tx, this.ageMs));
  }

  /** @throws GitError when git fails or `signal` ends it */
  async collect(key: RepositoryKey, signal: AbortSignal): Promise<void> {
    const { tenantId, deploymentId } = key;
    const unusedSince = new Date(Date.now() - this.ageMs);
    try {
      const { git } = await this.repositories.openExisting(tenantId, deploymentId);
      const kept = await this.database.transaction(tenantId, (tx) => this.usage.keptObjects(tx, deploymentId));
      await git.collect(signal, { kept, unusedSince });
      await this.quota.measure(key, git);
    } catch (error) {
      // The deployment is being deleted, and all of it with it.
      if (!(error instanceof RepositoryNotFoundError)) throw error;
    }
  }
}
