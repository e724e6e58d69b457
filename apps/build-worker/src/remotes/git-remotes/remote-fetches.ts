import { Inject, Injectable } from '@nestjs/common';
import { RemoteTooLargeError, RemoteTransport, type RemoteAccess, type RemoteFetch } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import type { BuildWorkerConfig } from '../../build-worker.config';
import { type DataModel, StorageQuota } from '../../data-models';

/** Fetches that bring no more than the data model has room for. */
@Injectable()
export class RemoteFetches {
  constructor(
    @Inject(CONFIG) private readonly config: BuildWorkerConfig,
    private readonly transport: RemoteTransport,
    private readonly quota: StorageQuota,
  ) {}

  /** @throws RemoteError, AppError `storage.quota_exceeded` (507); nothing is kept then */
  async fetch(
    model: DataModel,
    access: RemoteAccess,
    request: Omit<RemoteFetch, 'maxBytes'>,
    signal?: AbortSignal,
  ): Promise<void> {
    const { bytes, exceeded } = await this.quota.roomFor(model, this.config.gitRemoteMaxBytes);
    try {
      await this.transport.fetch(model.git, access, { ...request, maxBytes: bytes }, signal);
    } catch (error) {
      throw error instanceof RemoteTooLargeError ? (exceeded ?? error) : error;
    }
  }
}
