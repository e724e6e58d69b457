import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { branchRef, type ObjectId, type RefUpdate } from '@plinth/git';
import type { Branch } from '../branches/branch.entity';
import { BranchRefs } from '../branches/branch-refs';
import { BranchResolution, isBlank } from '../branches/branch-resolution';
import { requireOwner } from '../branches/branch-rules';
import { authorOf } from '../journal/author';
import type { WriteEffects } from '../journal/effect-applier';
import { JournalService } from '../journal/journal.service';
import { WriteMetrics } from '../journal/write-metrics';
import type { DataModel } from '../repositories/repositories.service';
import { buildAfter } from './build-after';
import { mergeTrees } from './three-way-merge';

type Request = NonNullable<BodyOf<'mergeToDefaultBranch'>>;

interface Sides {
  source: Branch;
  target: Branch;
  theirs: ObjectId;
  ours: ObjectId;
}

interface MergeStep {
  updates: RefUpdate[];
  effects: WriteEffects;
}

/** Takes a branch, with everything on it, into the deploy branch. */
@Injectable()
export class MergeService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly journal: JournalService,
    private readonly metrics: WriteMetrics,
  ) {}

  /** `merged` says that the deploy branch holds the changes, so it is true also when it held them before. */
  async mergeToDefault(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'mergeToDefaultBranch'>,
  ): Promise<ReplyOf<'mergeToDefaultBranch'>> {
    requireAccess(principal, 'SchemaUpdate', deploymentId);
    return this.metrics.observe('merge', () =>
      this.journal.write(principal, deploymentId, async (model) => {
        const sides = await this.sides(principal, model, body ?? {});
        const merge = await mergeStep(principal, model, sides, body?.message);
        const branchDeleted = body?.removeBranchAfterMerge !== false;
        const removal = branchDeleted ? removalStep(sides) : { updates: [], effects: {} };
        return {
          updates: [...merge.updates, ...removal.updates],
          effects: { ...merge.effects, ...removal.effects },
          reply: { merged: true, branchDeleted },
        };
      }),
    );
  }

  private async sides(principal: Principal, model: DataModel, body: Request): Promise<Sides> {
    const { deploymentId, deployBranchName, deployBranchMergeAllowed } = model.settings;
    const [source, target] = await this.database.transaction(principal.tenantId, async (tx) => [
      await this.resolution.resolve(tx, principal, deploymentId, body),
      await this.resolution.resolveShared(tx, deploymentId, {}),
    ]);
    if (source.id === target.id) {
      throw new AppError('branch.protected', `${source.name} is the deploy branch itself; name the branch to merge`);
    }
    if (!deployBranchMergeAllowed) {
      throw new AppError('branch.protected', `Merging into the deploy branch ${deployBranchName} is not allowed`);
    }
    requireOwner(principal, source);
    const [ours, theirs] = [await this.refs.headOf(model, target), await this.refs.headOf(model, source)];
    return { source, target, ours, theirs };
  }
}

async function mergeStep(
  principal: Principal,
  { git, settings }: DataModel,
  { source, target, ours, theirs }: Sides,
  message: string | null | undefined,
): Promise<MergeStep> {
  if (await git.isAncestor(theirs, ours)) return { updates: [], effects: {} };
  const tree = await mergeTrees(git, { ours, theirs });
  const text = isBlank(message) ? `Merge branch ${source.name}` : message;
  const commit = await git.commitTree({ tree, parents: [ours, theirs], author: authorOf(principal), message: text });
  const build = buildAfter(settings, target, { commitHash: commit, treeHash: tree });
  return {
    updates: [{ ref: branchRef(target.name), oldOid: ours, newOid: commit }],
    effects: build ? { build } : {},
  };
}

/** The reference goes in the same step as the merge, so that a commit made meanwhile is not lost with the branch. */
const removalStep = ({ source, theirs }: Sides): MergeStep => ({
  updates: [{ ref: branchRef(source.name), oldOid: theirs, newOid: null }],
  effects: { removedBranchId: source.id },
});
