import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { BareRepository } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import type { BuildWorkerConfig } from '../../build-worker.config';
import type { DataModel } from './repositories.service';
import { ownerOf } from './repository-id';
import {
  StorageUsageRepository,
  type RepositoryKey,
  type StorageLimits,
  type StorageUsage,
} from './storage-usage.repository';

type Measurable = Pick<BareRepository, 'storedBytes'>;

/** How much may come now. */
export interface Room {
  bytes: number;
  /** What to refuse more with; absent when the caller's own limit is the smaller one. */
  exceeded?: AppError;
}

/** Holds what the repositories of a tenant take on disk to the limits. */
@Injectable()
export class StorageQuota {
  private readonly limits: StorageLimits;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) { tenantStorageBytes, deploymentStorageBytes }: BuildWorkerConfig,
    private readonly usage: StorageUsageRepository,
  ) {
    this.limits = { tenantBytes: tenantStorageBytes || null, deploymentBytes: deploymentStorageBytes || null };
  }

  /** Counts objects that are about to become part of a repository. @throws AppError `storage.quota_exceeded` (507) */
  async admit(id: string, bytes: number, repository: Measurable): Promise<void> {
    const key = ownerOf(id);
    let verdict = await this.usage.charge(this.database, key, bytes, this.limits);
    if (verdict.due || (verdict.refused && verdict.stale)) {
      await this.measure(key, repository, verdict);
      if (verdict.refused) verdict = await this.usage.charge(this.database, key, bytes, this.limits);
    }
    if (verdict.refused) throw this.exceeded(verdict);
  }

  /** The smaller of `wanted` bytes and of what is left to a data model. */
  async roomFor({ settings, git }: DataModel, wanted: number): Promise<Room> {
    let usage = await this.usage.of(this.database, settings);
    if (usage.due || (this.left(usage) < wanted && usage.stale)) {
      await this.measure(settings, git, usage);
      usage = await this.usage.of(this.database, settings);
    }
    const left = this.left(usage);
    return left < wanted ? { bytes: Math.max(0, left), exceeded: this.exceeded(usage) } : { bytes: wanted };
  }

  /** Replaces what was counted by what the objects take. */
  async measure(key: RepositoryKey, repository: Measurable, counted?: StorageUsage): Promise<void> {
    const before = counted ?? (await this.usage.of(this.database, key));
    await this.usage.record(this.database, key, await repository.storedBytes(), before);
  }

  private left({ tenantBytes, deploymentBytes }: StorageUsage): number {
    const { limits } = this;
    return Math.min(
      (limits.tenantBytes ?? Infinity) - tenantBytes,
      (limits.deploymentBytes ?? Infinity) - deploymentBytes,
    );
  }

  /** Names the limit that is nearer. */
  private exceeded({ tenantBytes, deploymentBytes }: StorageUsage): AppError {
    const { tenantBytes: ofTenant, deploymentBytes: ofDeployment } = this.limits;
    const tenantFirst =
      ofTenant !== null && (ofDeployment === null || ofTenant - tenantBytes < ofDeployment - deploymentBytes);
    const [limit, whose] = tenantFirst
      ? [ofTenant, 'The data models of the account']
      : [ofDeployment, 'The data model of the deployment'];
    return new AppError(
      'storage.quota_exceeded',
      `${whose} may take ${limit} bytes, history included, and this does not fit any more: ` +
        'delete deployments that nobody needs, or ask the operator of the platform for more room',
    );
  }
}
