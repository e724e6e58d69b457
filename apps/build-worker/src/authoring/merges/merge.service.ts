import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { ObjectId } from '@plinth/git';
import { DataModelsService } from '../../provisioning';
import {
  type Branch,
  BranchRefs,
  BranchResolution,
  type BranchSelector,
  type BranchWrite,
  type DataModel,
  requireOwner,
  type WriteEffects,
  WriteMetrics,
} from '../../data-models';
import { ContentCheckService } from './content-check.service';
import { mergeStep, removalStep, type BranchMerge, type MergeOptions } from './merge-step';

type MergeReply = ReplyOf<'mergeIntoParentBranch'>;
type Target = (tx: Transaction, source: Branch) => Promise<Branch>;

interface MergePlan extends MergeOptions {
  deleteBranch: boolean;
  effects?: WriteEffects;
  /** Refuses the commit that the merge makes. */
  check?: (commit: ObjectId) => Promise<void>;
}

/** Takes a branch, with everything on it, into its parent or into the deploy branch. */
@Injectable()
export class MergeService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly models: DataModelsService,
    private readonly metrics: WriteMetrics,
    private readonly content: ContentCheckService,
  ) {}

  async mergeToDefault(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'mergeToDefaultBranch'>,
  ): Promise<ReplyOf<'mergeToDefaultBranch'>> {
    return this.merge(principal, deploymentId, async (model) => {
      const merge = await this.sides(principal, model, body ?? {}, (tx) =>
        this.resolution.resolveShared(tx, deploymentId, {}),
      );
      const deleteBranch = body?.removeBranchAfterMerge !== false;
      return planOf(principal, model, merge, {
        message: body?.message,
        deleteBranch,
        ...(body?.failOnBrokenContent && {
          check: (commit) => this.content.requireIntact(principal, model, merge.source, commit),
        }),
      });
    });
  }

  async mergeIntoParent(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'mergeIntoParentBranch'>,
  ): Promise<ReplyOf<'mergeIntoParentBranch'>> {
    return this.merge(principal, deploymentId, async (model) => {
      const merge = await this.sides(principal, model, body ?? {}, (tx, { parentId }) =>
        this.resolution.resolveShared(tx, deploymentId, { branchId: parentId }),
      );
      if (merge.target.kind === 'deploy') requireAccess(principal, 'SchemaUpdate', deploymentId);
      return planOf(principal, model, merge, {
        message: body?.message,
        squash: body?.squashCommits === true,
        deleteBranch: body?.deleteBranch === true,
        ...(body?.switchToParentBranch && { effects: switchToParent(principal, merge) }),
      });
    });
  }

  private merge(
    principal: Principal,
    deploymentId: number,
    plan: (model: DataModel) => Promise<BranchWrite<MergeReply>>,
  ): Promise<MergeReply> {
    return this.metrics.observe('merge', async () => {
      await this.models.refresh(principal.tenantId, deploymentId);
      return this.models.write(principal, deploymentId, plan);
    });
  }

  private async sides(
    principal: Principal,
    model: DataModel,
    selector: BranchSelector,
    targetOf: Target,
  ): Promise<BranchMerge> {
    const { deploymentId, deployBranchName, deployBranchMergeAllowed } = model.settings;
    const [source, target] = await this.database.transaction(principal.tenantId, async (tx) => {
      const branch = await this.resolution.resolve(tx, principal, deploymentId, selector);
      return [branch, await targetOf(tx, branch)];
    });
    if (source.kind === 'deploy') {
      throw new AppError('branch.protected', `${source.name} is the deploy branch itself; name the branch to merge`);
    }
    if (target.kind === 'deploy' && !deployBranchMergeAllowed) {
      throw new AppError('branch.protected', `Merging into the deploy branch ${deployBranchName} is not allowed`);
    }
    requireOwner(principal, source);
    const [ours, theirs] = [await this.refs.headOf(model, target), await this.refs.headOf(model, source)];
    return { source, target, ours, theirs };
  }
}

/** `merged` says that the target holds the changes, so it is true also when it held them before. */
async function planOf(
  principal: Principal,
  model: DataModel,
  merge: BranchMerge,
  { deleteBranch, effects, check, ...options }: MergePlan,
): Promise<BranchWrite<MergeReply>> {
  const step = await mergeStep(principal, model, merge, options);
  for (const { newOid } of step.updates) if (newOid !== null) await check?.(newOid);
  const removal = deleteBranch ? removalStep(merge) : { updates: [], effects: {} };
  return {
    updates: [...step.updates, ...removal.updates],
    effects: { ...effects, ...step.effects, ...removal.effects },
    reply: { merged: true, branchDeleted: deleteBranch },
  };
}

/** Without a session, requests are about the deploy branch anyway. */
function switchToParent({ credentialId }: Principal, { source, target }: BranchMerge): WriteEffects {
  const session = { deploymentId: source.deploymentId, credentialId, branchId: source.id };
  return target.kind === 'deploy' ? { endedSession: session } : { movedSession: { ...session, toBranchId: target.id } };
}
