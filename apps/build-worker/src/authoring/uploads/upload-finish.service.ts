import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { branchRef, type ObjectId } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import { DataModelsService } from '../../provisioning';
import {
  authorOf,
  type Branch,
  BranchRefs,
  BranchResolution,
  type BranchWrite,
  type DataModel,
  isBlank,
  WriteMetrics,
} from '../../data-models';
import type { BuildWorkerConfig } from '../../build-worker.config';
import { storedPath, toFileError } from '../files/file-errors';
import { mergeTrees } from '../merges/three-way-merge';
import { finishedUpload } from './finished-upload';
import { changesFor, type Content } from './upload-manifest';
import { requireOwnUpload, requireUploadTarget } from './upload-rules';
import type { Upload } from './upload.entity';
import { UploadsRepository } from './uploads.repository';

type Body = BodyOf<'finishUpload'>;
type Reply = ReplyOf<'finishUpload'>;

interface OpenUpload {
  upload: Upload;
  branch: Branch;
  uploaded: ReadonlyMap<string, Content>;
}

const DEFAULT_MESSAGE = 'Deploy the data model';

/** Puts an uploaded project on its branch: one commit, one build, once. */
@Injectable()
export class UploadFinishService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) private readonly config: BuildWorkerConfig,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly models: DataModelsService,
    private readonly metrics: WriteMetrics,
    private readonly uploads: UploadsRepository,
  ) {}

  async finish(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'finishUpload'>,
    body: Body,
  ): Promise<ReplyOf<'finishUpload'>> {
    const branchName = isBlank(body.branchName) ? query.branchName : body.branchName;
    const plan = async (model: DataModel): Promise<BranchWrite<Reply>> => {
      const open = await this.read(principal, deploymentId, body.transaction.id);
      const { upload, branch } = open;
      if (!isBlank(branchName) && branchName !== branch.name) {
        throw invalidRequest('/body/branchName', `differs from the branch of the upload, ${branch.name}`);
      }
      if (upload.finishedCommit !== null) return repeated(upload.finishedCommit);
      requireUploadTarget(principal, branch, model.settings);
      return this.plan(principal, model, open, body);
    };
    return this.metrics.observe('upload', () => this.models.write(principal, deploymentId, plan));
  }

  private read(principal: Principal, deploymentId: number, id: string): Promise<OpenUpload> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const upload = requireOwnUpload(principal, await this.uploads.find(tx, deploymentId, id));
      const branch = await this.resolution.resolveShared(tx, deploymentId, { branchId: upload.branchId });
      const files = await this.uploads.files(tx, upload.id);
      return { upload, branch, uploaded: new Map(files.map((file) => [file.path, file])) };
    });
  }

  private async plan(
    principal: Principal,
    model: DataModel,
    { upload, branch, uploaded }: OpenUpload,
    { files, autoRemoveFiles, commitMessage }: Body,
  ): Promise<BranchWrite<Reply>> {
    const { git, settings } = model;
    const head = await this.refs.headOf(model, branch);
    const wanted = this.wantedFiles(upload, files);
    const stored = await storedFiles(model, upload);
    const changes = changesFor({ wanted, uploaded, stored, prune: autoRemoveFiles !== false });
    const author = authorOf(principal);
    const message = isBlank(commitMessage) ? DEFAULT_MESSAGE : commitMessage;
    const project = await git
      .prepareCommit({ expectedHead: upload.baseCommit, changes, message, author })
      .catch((error: unknown) => Promise.reject(toFileError(error)));
    const tree =
      head === upload.baseCommit ? project.tree : await mergeTrees(git, { ours: head, theirs: project.commit });
    const unchanged = tree === (await git.treeOf(head));
    const commit = unchanged ? head : await git.commitTree({ tree, parents: [head], author, message });
    const { tenantId, deploymentId } = settings;
    // Even without a change: production may not have been built since the branch last moved.
    const builds = branch.kind === 'deploy' || branch.isStagingEnvironmentEnabled;
    const build = { tenantId, deploymentId, branchName: branch.name, commitHash: commit, treeHash: tree };
    return {
      updates: unchanged ? [] : [{ ref: branchRef(branch.name), oldOid: head, newOid: commit }],
      effects: { ...finishedUpload.of({ id: upload.id, deploymentId, commit }), ...(builds && { build }) },
      reply: { lastHash: commit },
    };
  }

  private wantedFiles({ pathPrefix }: Upload, files: Body['files']): Map<string, string> {
    const entries = Object.entries(files);
    const { uploadMaxFiles } = this.config;
    if (entries.length > uploadMaxFiles) {
      throw new AppError('upload.too_large', `An upload may have ${uploadMaxFiles} files`);
    }
    const wanted = new Map(entries.map(([path, { hash }]) => [storedPath(pathPrefix + path.replace(/^\//, '')), hash]));
    if (wanted.size < entries.length) throw invalidRequest('/body/files', 'names a file in two spellings');
    return wanted;
  }
}

/** Content hashes at the start of the upload; files outside its folder are none of its business. */
async function storedFiles({ git }: DataModel, { baseCommit, pathPrefix }: Upload): Promise<Map<string, string>> {
  const hashes = await git.contentHashes(baseCommit);
  return new Map([...hashes].filter(([path]) => path.startsWith(pathPrefix)));
}

const repeated = (commit: ObjectId): BranchWrite<Reply> => ({ updates: [], effects: {}, reply: { lastHash: commit } });
