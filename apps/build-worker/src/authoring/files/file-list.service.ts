import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, inMemoryList, keysetList, type Page } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { ObjectId } from '@plinth/git';
import type { StreamReply } from '@plinth/messaging';
import { DataModelsService } from '../../provisioning';
import { BranchRefs, BranchResolution, type DataModel, RepositoriesRepository } from '../../data-models';
import { BuildsRepository } from '../../builds';
import { sourceTree, type SourceNode } from './source-tree';
import { sourceTreeJson } from './source-tree-json';

/** Reads of what a branch holds. */
@Injectable()
export class FileListService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly builds: BuildsRepository,
    private readonly repositories: RepositoriesRepository,
  ) {}

  list(principal: Principal, deploymentId: number, query: QueryOf<'listFiles'>): Promise<StreamReply> {
    return this.reading(principal, deploymentId, (model) => this.listOf(principal, model, query));
  }

  hashes(principal: Principal, deploymentId: number, query: QueryOf<'fileHashes'>): Promise<ReplyOf<'fileHashes'>> {
    return this.reading(principal, deploymentId, (model) => this.hashesOf(principal, model, query));
  }

  /** A data model that goes while it is read is one that was gone before. */
  private async reading<T>(
    { tenantId }: Principal,
    deploymentId: number,
    read: (model: DataModel) => Promise<T>,
  ): Promise<T> {
    const model = await this.models.open(tenantId, deploymentId);
    try {
      return await read(model);
    } catch (error) {
      const isThere = await this.repositories.find(this.database, tenantId, deploymentId);
      throw isThere ? error : new AppError('deployment.not_found', 'There is no such deployment');
    }
  }

  private async listOf(principal: Principal, model: DataModel, query: QueryOf<'listFiles'>): Promise<StreamReply> {
    const { deploymentId } = model.settings;
    const { name, commit } = query.showLastCLIUpload
      ? await this.lastUpload(principal.tenantId, deploymentId)
      : await this.headFor(principal, model, query.branchName);
    const files = commit === null ? [] : await model.git.readTree(commit);
    const { items, pageInfo } = await page(sourceTree(files), query, { deploymentId, branch: name });
    const stream = sourceTreeJson({
      nodes: items,
      pageInfo,
      contentsOf: query.withContent ? (nodes) => model.git.readBlobs(nodes.map(({ oid }) => oid)) : undefined,
    });
    return { headers: { 'content-type': 'application/json; charset=utf-8' }, stream };
  }

  private async hashesOf(
    principal: Principal,
    model: DataModel,
    query: QueryOf<'fileHashes'>,
  ): Promise<ReplyOf<'fileHashes'>> {
    const commit = query.live
      ? await this.liveCommit(principal.tenantId, model)
      : (await this.headFor(principal, model, query.branchName)).commit;
    const { deployProjectRoot } = model.settings;
    const prefix = query.useDeployProjectRoot && deployProjectRoot !== '' ? `${deployProjectRoot}/` : '';
    const hashes = await model.git.contentHashes(commit);
    return Object.fromEntries(
      [...hashes]
        .filter(([path]) => path.startsWith(prefix))
        .map(([path, hash]) => [path.slice(prefix.length), { hash }]),
    );
  }

  private async headFor(
    principal: Principal,
    model: DataModel,
    branchName: string | undefined,
  ): Promise<{ name: string; commit: ObjectId }> {
    const branch = await this.database.transaction(principal.tenantId, (tx) =>
      this.resolution.resolve(tx, principal, model.settings.deploymentId, { branchName }),
    );
    return { name: branch.name, commit: await this.refs.headOf(model, branch) };
  }

  /** Until something was uploaded there is nothing to show. */
  private async lastUpload(tenantId: number, deploymentId: number): Promise<{ name: string; commit: ObjectId | null }> {
    const commit = await this.database.transaction(tenantId, (tx) =>
      this.repositories.lastUploadCommit(tx, deploymentId),
    );
    return { name: `upload ${commit}`, commit };
  }

  /** The commit of the newest production build that succeeded; before the first one, the deploy branch. */
  private async liveCommit(tenantId: number, model: DataModel): Promise<ObjectId> {
    const { deploymentId, deployBranchName } = model.settings;
    const [build, branch] = await this.database.transaction(tenantId, async (tx) => [
      await this.builds.findNewestBuilt(tx, deploymentId, deployBranchName),
      await this.resolution.resolveShared(tx, deploymentId, {}),
    ]);
    return build?.commitHash ?? this.refs.headOf(model, branch);
  }
}

/**
 * Pages the top-level nodes; without `first`, all of them. Types sort as nodes do: directories come before files.
 */
const page = (
  nodes: readonly SourceNode[],
  query: QueryOf<'listFiles'>,
  filters: { deploymentId: number; branch: string },
): Promise<Page<SourceNode>> =>
  keysetList(query, inMemoryList(nodes, { name: 'files', filters, positionOf: ({ type, path }) => [type, path] }), {
    defaultFirst: Infinity,
  });
