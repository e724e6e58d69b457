import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { branchRef, type BareRepository, type ObjectId, type Signature } from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import {
  authorOf,
  type Branch,
  BranchRefs,
  BranchResolution,
  type BranchWrite,
  buildAfter,
  type DataModel,
  isBlank,
  requireDevBranch,
  requireOwner,
  type WriteEffects,
  WriteMetrics,
} from '../../data-models';
import { mergePreferringTheirs, mergeTrees, type MergeSides } from './three-way-merge';

const DEFAULT_MESSAGE = 'Update the data model';

interface Sides extends MergeSides {
  dev: Branch;
  parent: Branch;
}

/** Takes the edits of a dev branch to the branch that it was forked from. */
@Injectable()
export class CommitService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly models: DataModelsService,
    private readonly metrics: WriteMetrics,
  ) {}

  /** One commit on the parent; the dev branch then stands there too. Without edits nothing moves. */
  async commit(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'commitChanges'>,
  ): Promise<ReplyOf<'commitChanges'>> {
    return this.metrics.observe('commit', () =>
      this.models.write(principal, deploymentId, async (model) => {
        const sides = await this.sides(principal, model, body ?? {});
        return this.plan(principal, model, sides, body ?? {});
      }),
    );
  }

  private async sides(
    principal: Principal,
    model: DataModel,
    body: NonNullable<BodyOf<'commitChanges'>>,
  ): Promise<Sides> {
    const { deploymentId, deployBranchReadOnly } = model.settings;
    const [dev, parent] = await this.database.transaction(principal.tenantId, async (tx) => {
      const branch = await this.resolution.resolve(tx, principal, deploymentId, body);
      requireDevBranch(branch);
      requireOwner(principal, branch);
      return [branch, await this.resolution.resolveShared(tx, deploymentId, { branchId: branch.parentId })];
    });
    if (parent.kind === 'deploy') {
      requireAccess(principal, 'SchemaUpdate', deploymentId);
      if (deployBranchReadOnly) {
        throw new AppError('branch.protected', `The deploy branch ${parent.name} is read-only`);
      }
    }
    const [ours, theirs] = [await this.refs.headOf(model, parent), await this.refs.headOf(model, dev)];
    return { dev, parent, ours, theirs };
  }

  private async plan(
    principal: Principal,
    { git, settings }: DataModel,
    { dev, parent, ours, theirs }: Sides,
    { message, exitDevMode, resolveMergeConflict }: NonNullable<BodyOf<'commitChanges'>>,
  ): Promise<BranchWrite<{ success: boolean }>> {
    const effects: WriteEffects = {};
    if (exitDevMode) {
      const { deploymentId } = settings;
      effects.endedSession = { deploymentId, credentialId: principal.credentialId, branchId: dev.id };
    }
    const author = authorOf(principal);
    const tree = await treeToCommit(git, { ours, theirs }, author, resolveMergeConflict === true);
    if (tree === (await git.treeOf(ours))) return { updates: [], effects, reply: { success: true } };
    const text = isBlank(message) ? DEFAULT_MESSAGE : message;
    const commit = await git.commitTree({ tree, parents: [ours], author, message: text });
    const build = buildAfter(settings, parent, { commitHash: commit, treeHash: tree });
    return {
      updates: [
        { ref: branchRef(parent.name), oldOid: ours, newOid: commit },
        { ref: branchRef(dev.name), oldOid: theirs, newOid: commit },
      ],
      effects: { ...effects, ...(build && { build }) },
      reply: { success: true },
    };
  }
}

async function treeToCommit(
  git: BareRepository,
  sides: MergeSides,
  author: Signature,
  preferTheirs: boolean,
): Promise<ObjectId> {
  const base = await git.mergeBase(sides.ours, sides.theirs);
  if (base === sides.ours) return git.treeOf(sides.theirs);
  return preferTheirs ? mergePreferringTheirs(git, sides, author) : mergeTrees(git, sides);
}
