import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import {
  Database,
  decodeCursor,
  encodeCursor,
  pageInfo,
  resolveCursorPaging,
  type CursorPosition,
} from '@plinth/database';
import type { ObjectId } from '@plinth/git';
import type { StreamReply } from '@plinth/messaging';
import { DataModelsService } from '../../provisioning';
import { BranchRefs, BranchResolution, type DataModel, RepositoriesRepository } from '../../data-models';
import { BuildsRepository } from '../../builds';
import { sourceTree, type SourceNode } from './source-tree';
import { sourceTreeJson, type SourceTreePage } from './source-tree-json';

const list = 'files';

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

  async list(principal: Principal, deploymentId: number, query: QueryOf<'listFiles'>): Promise<StreamReply> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const { name, commit } = query.showLastCLIUpload
      ? await this.lastUpload(principal.tenantId, deploymentId)
      : await this.headFor(principal, model, query.branchName);
    const files = commit === null ? [] : await model.git.readTree(commit);
    const stream = sourceTreeJson({
      ...page(sourceTree(files), query, { deploymentId, branch: name }),
      contentsOf: query.withContent ? (nodes) => model.git.readBlobs(nodes.map(({ oid }) => oid)) : undefined,
    });
    return { headers: { 'content-type': 'application/json; charset=utf-8' }, stream };
  }

  async hashes(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'fileHashes'>,
  ): Promise<ReplyOf<'fileHashes'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
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

/** Pages the top-level nodes; without `first`, all of them. */
function page(
  nodes: readonly SourceNode[],
  query: QueryOf<'listFiles'>,
  filters: Record<string, unknown>,
): Pick<SourceTreePage, 'nodes' | 'pageInfo'> {
  const { first, after } = resolveCursorPaging(query, { defaultFirst: Math.max(1, nodes.length) });
  const size = query.first === undefined ? nodes.length : first;
  const start = after === undefined ? 0 : indexAfter(nodes, decodeCursor(list, filters, after));
  const items = nodes.slice(start, start + size);
  const cursors = items.map(({ type, path }) => encodeCursor(list, filters, [type, path]));
  return { nodes: items, pageInfo: pageInfo(cursors, start + size < nodes.length, after !== undefined) };
}

/** Types sort as nodes do: directories come before files. */
function indexAfter(nodes: readonly SourceNode[], [type, path]: CursorPosition): number {
  const index = nodes.findIndex((node) => node.type > String(type) || (node.type === type && node.path > String(path)));
  return index === -1 ? nodes.length : index;
}
