import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BlobTooLargeError, type StoredBlob } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import type { ByteStream } from '@plinth/messaging';
import { DataModelsService, ProvisioningService } from '../../provisioning';
import {
  BranchRefs,
  BranchResolution,
  type DataModel,
  isBlank,
  StorageQuota,
  StorageUsageRepository,
  WriteTurns,
} from '../../data-models';
import type { BuildWorkerConfig } from '../../build-worker.config';
import { storedPath } from '../files/file-errors';
import { requireOwnUpload, requireUploadTarget, transactionId } from './upload-rules';
import type { Upload } from './upload.entity';
import { UploadsRepository } from './uploads.repository';

/** Receives the files of a whole project. Until the upload is finished, nothing that anybody reads changes. */
@Injectable()
export class UploadsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: BuildWorkerConfig,
    private readonly models: DataModelsService,
    private readonly provisioning: ProvisioningService,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly uploads: UploadsRepository,
    private readonly turns: WriteTurns,
    private readonly quota: StorageQuota,
    private readonly storage: StorageUsageRepository,
  ) {}

  async start(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'startUpload'>,
    body: BodyOf<'startUpload'>,
  ): Promise<ReplyOf<'startUpload'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const { name } = await this.provisioning.describe(principal.tenantId, deploymentId);
    return this.turns.mutate(principal, deploymentId, async (tx) => {
      const branchName = isBlank(body?.branchName) ? query.branchName : body?.branchName;
      const branch = await this.resolution.resolve(tx, principal, deploymentId, { branchName });
      requireUploadTarget(principal, branch, model.settings);
      const upload = {
        id: randomUUID(),
        tenantId: principal.tenantId,
        deploymentId,
        branchId: branch.id,
        ownerCredentialId: principal.credentialId,
        ownerUserId: principal.userId,
        baseCommit: await this.refs.headOf(model, branch),
        pathPrefix: query.useDeployProjectRoot ? prefixOf(model) : '',
      };
      await this.uploads.insert(tx, upload, this.config.uploadLifetimeMs);
      return { transaction: { id: upload.id }, deploymentName: name };
    });
  }

  async addFile(
    principal: Principal,
    deploymentId: number,
    { transaction, fileName }: BodyOf<'uploadFile'>,
    content: ByteStream = emptyFile(),
  ): Promise<ReplyOf<'uploadFile'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const id = transactionId(transaction);
    const { pathPrefix } = await this.database.transaction(principal.tenantId, async (tx) =>
      requireOpen(principal, await this.uploads.find(tx, deploymentId, id)),
    );
    const path = storedPath(pathPrefix + fileName.replace(/^\//, ''));
    const stored = await this.store(model, content);
    return this.turns.mutate(principal, deploymentId, async (tx) => {
      requireOpen(principal, await this.uploads.lock(tx, deploymentId, id));
      const file = { uploadId: id, tenantId: principal.tenantId, path, ...stored };
      await this.uploads.addFile(tx, file, this.config.uploadLifetimeMs);
      await this.requireRoom(tx, id);
      await this.storage.uploaded(tx, deploymentId);
      return { success: true };
    });
  }

  /** A file that is larger than what is left is refused while it arrives. */
  private async store(model: DataModel, content: ByteStream): Promise<StoredBlob> {
    const { bytes, exceeded } = await this.quota.roomFor(model, this.config.uploadMaxFileBytes);
    try {
      return await model.git.storeBlob(content, bytes);
    } catch (error) {
      throw error instanceof BlobTooLargeError ? (exceeded ?? tooLarge(error.message)) : error;
    }
  }

  private async requireRoom(tx: Transaction, id: string): Promise<void> {
    const { uploadMaxFiles, uploadMaxTotalBytes } = this.config;
    const { files, bytes } = await this.uploads.sizeOf(tx, id);
    if (files > uploadMaxFiles) throw tooLarge(`An upload may have ${uploadMaxFiles} files`);
    if (bytes > uploadMaxTotalBytes) throw tooLarge(`An upload may have ${uploadMaxTotalBytes} bytes in all`);
  }
}

async function* emptyFile(): AsyncGenerator<Uint8Array, undefined> {}

const tooLarge = (message: string): AppError => new AppError('upload.too_large', message);

const prefixOf = ({ settings: { deployProjectRoot } }: DataModel): string =>
  deployProjectRoot === '' ? '' : `${deployProjectRoot}/`;

/** @throws AppError `upload.not_found` (404), `upload.finished` (409) */
function requireOpen(principal: Principal, upload: Upload | null): Upload {
  const own = requireOwnUpload(principal, upload);
  if (own.finishedCommit === null) return own;
  throw new AppError('upload.finished', 'This upload is finished: start a new one to send more files');
}
