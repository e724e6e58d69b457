import { BaseRepository, type Transaction } from '@plinth/database';
import { IsNull, MoreThan } from 'typeorm';
import { Repository } from '../../data-models';
import type { FinishedUpload } from './finished-upload';
import { UploadFile } from './upload-file.entity';
import { Upload } from './upload.entity';

export type NewUpload = Omit<Upload, 'createdAt' | 'expiresAt' | 'finishedCommit'>;

/** How much an upload holds. */
export interface UploadSize {
  files: number;
  bytes: number;
}

/** How long a repeated end gets the first answer. */
const FINISHED_KEPT_MS = 86_400_000;

const inFuture = (milliseconds: number): Date => new Date(Date.now() + milliseconds);

export class UploadsRepository extends BaseRepository {
  async insert(tx: Transaction, upload: NewUpload, lifetimeMs: number): Promise<void> {
    await this.managerFor(tx).insert(Upload, { ...upload, expiresAt: inFuture(lifetimeMs) });
  }

  /** One that has not expired. */
  find(tx: Transaction, deploymentId: number, id: string): Promise<Upload | null> {
    return this.managerFor(tx).findOneBy(Upload, { id, deploymentId, expiresAt: MoreThan(new Date()) });
  }

  /** As `find`, with the row locked until the transaction ends. */
  lock(tx: Transaction, deploymentId: number, id: string): Promise<Upload | null> {
    const where = { id, deploymentId, expiresAt: MoreThan(new Date()) };
    return this.managerFor(tx).findOne(Upload, { where, lock: { mode: 'pessimistic_write' } });
  }

  /** Adds a file or replaces the one at its path, and keeps the upload alive. */
  async addFile(tx: Transaction, file: UploadFile, lifetimeMs: number): Promise<void> {
    await this.managerFor(tx).upsert(UploadFile, file, ['uploadId', 'path']);
    await this.managerFor(tx).update(Upload, { id: file.uploadId }, { expiresAt: inFuture(lifetimeMs) });
  }

  files(tx: Transaction, uploadId: string): Promise<UploadFile[]> {
    return this.managerFor(tx).findBy(UploadFile, { uploadId });
  }

  async sizeOf(tx: Transaction, uploadId: string): Promise<UploadSize> {
    const [size] = (await this.managerFor(tx).query(
      `select count(*)::int as files, coalesce(sum(size), 0)::float8 as bytes from upload_file where upload_id = $1`,
      [uploadId],
    )) as UploadSize[];
    return size ?? { files: 0, bytes: 0 };
  }

  /** Keeps the answer for repeats and lets the list of files go; false when the upload was finished before. */
  async finish(tx: Transaction, { id, deploymentId, commit }: FinishedUpload): Promise<boolean> {
    const manager = this.managerFor(tx);
    const finished = { finishedCommit: commit, expiresAt: inFuture(FINISHED_KEPT_MS) };
    const { affected } = await manager.update(Upload, { id, finishedCommit: IsNull() }, finished);
    if (affected !== 1) return false;
    await manager.delete(UploadFile, { uploadId: id });
    await manager.update(Repository, { deploymentId }, { lastUploadCommit: commit });
    return true;
  }
}
