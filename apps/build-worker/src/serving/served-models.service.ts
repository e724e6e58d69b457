import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { COMPILER_VERSION } from '@plinth/engine';
import type { BareRepository, ObjectId } from '@plinth/git';
import type { StreamReply } from '@plinth/messaging';
import { BuildsRepository } from '../builds';
import {
  DataModelCompiler,
  type ModelFile,
  readModelFiles,
  selectModelFiles,
  type Transpiled,
  trustOf,
} from '../compilation';
import { type Branch, BranchesRepository, BranchRefs, type DataModel } from '../data-models';
import { DataModelsService } from '../provisioning';

const CONFIGURATION = 'cube.js';

type Served = ReplyOf<'describeServedModel'>;
type Commit = Pick<Served, 'commitHash' | 'treeHash' | 'reason' | 'message'>;

const serves = (commitHash: string, treeHash: string): Commit => ({
  commitHash,
  treeHash,
  reason: null,
  message: null,
});
const servesNothing = (reason: NonNullable<Served['reason']>, message: string | null = null): Commit => ({
  commitHash: null,
  treeHash: null,
  reason,
  message,
});

/** What branches serve: the newest build that succeeded, or the head of a dev branch. */
@Injectable()
export class ServedModelsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly builds: BuildsRepository,
    private readonly compiler: DataModelCompiler,
  ) {}

  /** @throws AppError `deployment.not_found` (404); an unknown branch is an answer */
  async describe(
    { tenantId }: Principal,
    { deploymentId, branchName }: BodyOf<'describeServedModel'>,
  ): Promise<Served> {
    const model = await this.models.open(tenantId, deploymentId);
    const { branch, built } = await this.database.transaction(tenantId, async (tx) => {
      const found = await this.branches.findByName(tx, deploymentId, branchName);
      return { branch: found, built: found && found.kind !== 'dev' ? await this.built(tx, found) : undefined };
    });
    const commit = built ?? (branch ? await this.head(model, branch) : servesNothing('unknown_branch'));
    return { environmentId: branch?.id ?? null, projectRoot: model.settings.deployProjectRoot, ...commit };
  }

  /**
   * The model's files, after the folder that their paths begin at and the project's configuration; then what was made of
   * them when the branch's code was compiled.
   */
  async read(
    { tenantId }: Principal,
    deploymentId: number,
    { commitHash, projectRoot, branchName, compilerVersion }: BodyOf<'readServedModel'>,
  ): Promise<StreamReply> {
    const model = await this.models.open(tenantId, deploymentId);
    const { git } = model;
    const { root, files } = selectModelFiles(await readModelFiles(git, commitHash, projectRoot));
    const configuration = await configurationIn(git, commitHash, projectRoot);
    const transpiled =
      branchName !== undefined && compilerVersion === COMPILER_VERSION
        ? await this.transpiled(model, commitHash, branchName)
        : [];
    const stream = linesOf({ root, configuration }, files, transpiled);
    return { headers: { 'content-type': 'application/x-ndjson' }, stream };
  }

  /** What the branch's own code may have forged, and no other's. */
  private async transpiled(model: DataModel, commit: ObjectId, branchName: string): Promise<Transpiled> {
    const { tenantId, deploymentId } = model.settings;
    const branch = await this.database.transaction(tenantId, (tx) =>
      this.branches.findByName(tx, deploymentId, branchName),
    );
    return branch ? this.compiler.transpiledOf(model, commit, trustOf(branch)) : [];
  }

  private async head(model: DataModel, branch: Branch): Promise<Commit> {
    const commitHash = await this.refs.headOf(model, branch);
    return serves(commitHash, await model.git.treeOf(commitHash));
  }

  private async built(
    tx: Transaction,
    { deploymentId, name, kind, isStagingEnvironmentEnabled, createdAt }: Branch,
  ): Promise<Commit> {
    if (kind !== 'deploy' && !isStagingEnvironmentEnabled) return servesNothing('not_active');
    const build = await this.builds.findNewestBuilt(tx, deploymentId, name, createdAt);
    if (build) return serves(build.commitHash, build.treeHash);
    const newest = await this.builds.findNewest(tx, deploymentId, name, createdAt);
    if (!newest) return servesNothing('not_active');
    return newest.status === 'failed' ? servesNothing('broken', newest.errorText) : servesNothing('building');
  }
}

/** The project's `cube.js`; null without one. */
async function configurationIn(git: BareRepository, commit: ObjectId, projectRoot: string): Promise<string | null> {
  const path = projectRoot === '' ? CONFIGURATION : `${projectRoot}/${CONFIGURATION}`;
  const [found] = (await git.readTree(commit, projectRoot === '' ? {} : { prefix: projectRoot })).filter(
    (file) => file.path === path,
  );
  if (!found) return null;
  for await (const blob of git.readBlobs([found.oid])) return blob.toString('utf8');
  return null;
}

async function* linesOf(head: object, files: readonly ModelFile[], transpiled: Transpiled): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(head)}\n`);
  for (const { path, content } of files) yield Buffer.from(`${JSON.stringify({ path, content })}\n`);
  for (const each of transpiled) yield Buffer.from(`${JSON.stringify({ transpiled: each })}\n`);
}
