import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import {
  RefMovedError,
  branchRef,
  upstreamRef,
  type BareRepository,
  type ObjectId,
  type RemoteAccess,
} from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import { type Branch, BranchRefs, type BranchWrite, buildAfter, type DataModel } from '../../data-models';
import { requireUsableFiles } from './remote-content';
import { RemoteFetches } from './remote-fetches';
import { RemoteTasksRepository } from './remote-tasks.repository';

/** Where a branch is in the remote repository. */
export interface UpstreamState {
  /** Null when it is not there. */
  head: ObjectId | null;
  /**
   * Where it was known to be before the remote repository was asked for `head`. Only a branch that was known to be there
   * can have been deleted; one pushed since then is merely younger than the answer.
   */
  known: ObjectId | null;
}

const NOTHING: BranchWrite<undefined> = { updates: [], effects: {}, reply: undefined };

/**
 * Makes one branch follow the remote repository. Commits of either side are kept: what only one side has is taken over
 * as it is, what both have is merged, and what cannot be merged stays apart with an error until somebody settles it.
 */
@Injectable()
export class BranchSync {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly fetches: RemoteFetches,
    private readonly refs: BranchRefs,
    private readonly models: DataModelsService,
    private readonly tasks: RemoteTasksRepository,
  ) {}

  /** @throws AppError `merge.conflict`, `remote.content_refused`; RemoteError */
  async follow(
    model: DataModel,
    access: RemoteAccess,
    branch: Branch,
    { head, known }: UpstreamState,
    signal?: AbortSignal,
  ): Promise<void> {
    if (head === null) return known === null ? undefined : this.followDeletion(model, branch, known);
    if ((await model.git.resolveRef(upstreamRef(branch.name))) !== head) {
      const accept = (incoming: BareRepository, heads: ReadonlyMap<string, ObjectId>) =>
        requireUsableFiles(incoming, heads.get(branch.name) ?? head, model.settings.deployProjectRoot);
      await this.fetches.fetch(model, access, { branches: [branch.name], accept }, signal);
    }
    await this.write(model, branch);
  }

  private async write({ settings }: DataModel, branch: Branch): Promise<void> {
    const { tenantId, deploymentId } = settings;
    await this.models.write(systemPrincipal(tenantId), deploymentId, async (model): Promise<BranchWrite<undefined>> => {
      const theirs = await model.git.resolveRef(upstreamRef(branch.name));
      const ours = await this.refs.headOf(model, branch);
      if (theirs === null || theirs === ours) return NOTHING;
      const base = await model.git.mergeBase(ours, theirs);
      if (base === theirs) {
        await this.database.transaction(tenantId, (tx) => this.tasks.requestPushes(tx, deploymentId, [branch.name]));
        return NOTHING;
      }
      const commit = base === ours ? theirs : await mergeCommit(model.git, branch.name, ours, theirs);
      const build = await buildOf(model, branch, ours, commit);
      return {
        ...NOTHING,
        updates: [{ ref: branchRef(branch.name), oldOid: ours, newOid: commit }],
        effects: build ? { build } : {},
      };
    });
  }

  /** A branch that was there and is gone goes here too, unless something of it would be lost, or production with it. */
  private async followDeletion({ git, settings }: DataModel, branch: Branch, known: ObjectId): Promise<void> {
    const { tenantId, deploymentId } = settings;
    const kept = await this.models.write(
      systemPrincipal(tenantId),
      deploymentId,
      async (model): Promise<BranchWrite<boolean>> => {
        const ours = await this.refs.headOf(model, branch);
        if ((await model.git.resolveRef(upstreamRef(branch.name))) !== known) return { ...NOTHING, reply: true };
        const keeps = branch.kind === 'deploy' || !(await model.git.isAncestor(ours, known));
        if (keeps) return { ...NOTHING, reply: true };
        const removal = { ref: branchRef(branch.name), oldOid: ours, newOid: null };
        return { updates: [removal], effects: { removedBranchId: branch.id }, reply: false };
      },
    );
    if (kept && branch.kind === 'deploy') {
      throw new AppError('remote.branch_not_found', 'It was deleted in the remote repository');
    }
    // From here on it is a branch that the remote repository does not have yet.
    await git.updateRefs([{ ref: upstreamRef(branch.name), oldOid: known, newOid: null }]).catch((error: unknown) => {
      if (!(error instanceof RefMovedError)) throw error;
    });
  }
}

/** @throws AppError `merge.conflict` naming the files */
async function mergeCommit(git: BareRepository, name: string, ours: ObjectId, theirs: ObjectId): Promise<ObjectId> {
  const merged = await git.mergeTrees(undefined, ours, theirs);
  if (!merged.clean) {
    const paths = merged.conflicts.map(({ path }) => path);
    const shown = paths.slice(0, 5).join(', ');
    const others = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
    throw new AppError(
      'merge.conflict',
      `Its changes here and in the remote repository exclude each other in ${shown}${others}`,
    );
  }
  const author = { name: 'Plinth', email: '', at: new Date() };
  const message = `Merge branch ${name} of the remote repository`;
  return git.commitTree({ tree: merged.tree, parents: [ours, theirs], author, message });
}

/** Nothing is built when the project folder is as it was. */
async function buildOf({ git, settings }: DataModel, branch: Branch, before: ObjectId, after: ObjectId) {
  const root = settings.deployProjectRoot;
  const project = (commit: ObjectId) => (root === '' ? git.treeOf(commit) : git.entryAt(commit, root));
  if ((await project(before)) === (await project(after))) return undefined;
  return buildAfter(settings, branch, { commitHash: after, treeHash: await git.treeOf(after) });
}
