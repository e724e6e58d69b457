import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { branchRef, type TreeChange } from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import {
  authorOf,
  type Branch,
  BranchRefs,
  BranchResolution,
  type BranchSelector,
  type BranchWrite,
  type DataModel,
  requireDevBranch,
  requireOwner,
  WriteMetrics,
} from '../../data-models';
import { storedPath, toFileError } from './file-errors';

const MESSAGES: Record<TreeChange['kind'], string> = {
  link: 'Write',
  put: 'Write',
  delete: 'Delete',
  rename: 'Rename',
};

/** Changes to the files of dev branches; each request is one commit. */
@Injectable()
export class FilesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly models: DataModelsService,
    private readonly metrics: WriteMetrics,
  ) {}

  async update(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'updateFiles'>,
  ): Promise<ReplyOf<'updateFiles'>> {
    const changes = body.files.map(({ path, content }): TreeChange => ({ kind: 'put', path, content }));
    requireDistinct(body.files.map(({ path }) => path));
    return this.change(principal, deploymentId, body, changes);
  }

  remove(principal: Principal, deploymentId: number, body: BodyOf<'removeFiles'>): Promise<ReplyOf<'removeFiles'>> {
    const paths = [...(body.files ?? []).map(({ path }) => path), ...(body.paths ?? [])];
    const changes = paths.map((path): TreeChange => ({ kind: 'delete', path }));
    return this.change(principal, deploymentId, body, changes);
  }

  rename(principal: Principal, deploymentId: number, body: BodyOf<'renameFiles'>): Promise<ReplyOf<'renameFiles'>> {
    const { files = [], from, to } = body;
    const renames = files.map(({ path, newPath }): TreeChange => ({ kind: 'rename', from: path, to: newPath }));
    const changes: TreeChange[] =
      from === undefined || to === undefined ? renames : [...renames, { kind: 'rename', from, to }];
    return this.change(principal, deploymentId, body, changes);
  }

  private async change(
    principal: Principal,
    deploymentId: number,
    selector: BranchSelector,
    changes: readonly TreeChange[],
  ): Promise<{ success: boolean }> {
    const plan = async (model: DataModel): Promise<BranchWrite<{ success: boolean }>> => {
      const branch = await this.writableBranch(principal, deploymentId, selector);
      const head = await this.refs.headOf(model, branch);
      const { commit, tree } = await model.git
        .prepareCommit({ expectedHead: head, changes, message: messageOf(changes), author: authorOf(principal) })
        .catch((error: unknown) => Promise.reject(toFileError(error)));
      const unchanged = tree === (await model.git.treeOf(head));
      const updates = unchanged ? [] : [{ ref: branchRef(branch.name), oldOid: head, newOid: commit }];
      return { updates, effects: {}, reply: { success: true } };
    };
    return this.metrics.observe('files', () => this.models.write(principal, deploymentId, plan));
  }

  private async writableBranch(principal: Principal, deploymentId: number, selector: BranchSelector): Promise<Branch> {
    const branch = await this.database.transaction(principal.tenantId, (tx) =>
      this.resolution.resolve(tx, principal, deploymentId, selector),
    );
    requireDevBranch(branch);
    requireOwner(principal, branch);
    return branch;
  }
}

/** Which of two contents were to stay is nothing to guess. @throws AppError `request.invalid` (400) */
function requireDistinct(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const [index, path] of paths.map(storedPath).entries()) {
    if (seen.has(path)) throw invalidRequest(`/body/files/${index}/path`, 'names a file that the request names before');
    seen.add(path);
  }
}

function messageOf(changes: readonly TreeChange[]): string {
  const [first] = changes;
  if (!first) return 'Change nothing';
  const path = first.kind === 'rename' ? `${first.from} to ${first.to}` : first.path;
  const others = changes.length > 1 ? ` and ${changes.length - 1} more` : '';
  return `${MESSAGES[first.kind]} ${path}${others}`;
}
