import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ManifestError, readManifest, type Manifest } from '@plinth/dbt';
import { AppError } from '@plinth/errors';
import { BlobTooLargeError, type BareRepository, type ObjectId } from '@plinth/git';
import { FairGate } from '@plinth/tasks';
import { type DataModel, StorageQuota } from '../../data-models';

/** Of one that is sent, as the contract has it for the whole body. */
const MAX_BYTES = 52_428_800;
const SLICE_BYTES = 256 * 1024;
/** Manifests in memory at a time, and how many of a tenant wait for that. */
const AT_ONCE = 2;
const MOST_WAITING = 20;

/** Manifests that were sent, kept in the repository of their data model until their run is over. */
@Injectable()
export class ManifestStore {
  private readonly gate = new FairGate({
    width: AT_ONCE,
    mostWaiting: MOST_WAITING,
    refusal: () =>
      new AppError('request.rate_limited', 'Too many manifests at once; try again', { retryAfterSeconds: 5 }),
  });

  constructor(private readonly quota: StorageQuota) {}

  /** @throws AppError `request.too_large` (413), `storage.quota_exceeded` (507) */
  async keep(model: DataModel, manifest: AsyncIterable<Uint8Array>): Promise<ObjectId> {
    const { bytes, exceeded } = await this.quota.roomFor(model, MAX_BYTES);
    try {
      return (await model.git.storeBlob(manifest, bytes)).oid;
    } catch (error) {
      if (!(error instanceof BlobTooLargeError)) throw error;
      throw exceeded ?? new AppError('request.too_large', `The manifest is larger than ${MAX_BYTES} bytes`);
    }
  }

  /** @throws ManifestError for what is none, or of a version that is not supported */
  read({ settings, git }: DataModel, oid: ObjectId): Promise<Manifest> {
    return this.gate.run(String(settings.tenantId), async () => parsed(await git.readBlob(oid)));
  }

  /** @throws AppError `dbt_sync.manifest_invalid` (400) that says what is supported */
  async require(model: DataModel, oid: ObjectId): Promise<void> {
    try {
      await this.read(model, oid);
    } catch (error) {
      throw error instanceof ManifestError ? new AppError('dbt_sync.manifest_invalid', error.message) : error;
    }
  }

  async isKept(git: BareRepository, oid: ObjectId): Promise<boolean> {
    return git.blobSize(oid).then(
      () => true,
      () => false,
    );
  }
}

const parsed = (bytes: Buffer): Promise<Manifest> => readManifest(slicesOf(bytes), { limitBytes: bytes.length });

/** Others have their turn in between. */
export async function* slicesOf(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    yield bytes.subarray(start, start + SLICE_BYTES);
    await turn();
  }
}
