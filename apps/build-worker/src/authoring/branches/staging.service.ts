import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { DataModelsService } from '../../provisioning';
import {
  type Branch,
  BranchesRepository,
  BranchFollowers,
  BranchNotices,
  BranchRefs,
  BranchResolution,
  type DataModel,
  toContractBranch,
  WriteTurns,
} from '../../data-models';

@Injectable()
export class StagingService {
  constructor(
    private readonly models: DataModelsService,
    private readonly branches: BranchesRepository,
    private readonly resolution: BranchResolution,
    private readonly refs: BranchRefs,
    private readonly followers: BranchFollowers,
    private readonly turns: WriteTurns,
    private readonly notices: BranchNotices,
  ) {}

  async setEnabled(
    principal: Principal,
    deploymentId: number,
    { enabled, ...selector }: BodyOf<'setBranchStagingEnvironment'>,
  ): Promise<ReplyOf<'setBranchStagingEnvironment'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    return this.turns.mutate(principal, deploymentId, async (tx) => {
      const branch = await this.resolution.named(tx, deploymentId, selector);
      if (!branch) throw invalidRequest('/body/branchName', 'or branchId is required');
      requireShared(branch);
      const head = await this.refs.headOf(model, branch);
      if (enabled && !branch.isStagingEnvironmentEnabled) await this.build(tx, model, branch, head);
      await this.branches.update(tx, branch.id, { isStagingEnvironmentEnabled: enabled });
      this.notices.changedBy(tx, deploymentId);
      return { data: toContractBranch({ ...branch, isStagingEnvironmentEnabled: enabled }, head) };
    });
  }

  private async build(tx: Transaction, { git, settings }: DataModel, branch: Branch, head: string): Promise<void> {
    const treeHash = await git.treeOf(head);
    const { tenantId, deploymentId } = settings;
    await this.followers.build(tx, { tenantId, deploymentId, branchName: branch.name, commitHash: head, treeHash });
  }
}

function requireShared({ name, kind }: Branch): void {
  if (kind === 'shared') return;
  const what = kind === 'dev' ? 'a personal dev branch' : 'the deploy branch';
  throw new AppError('branch.protected', `${name} is ${what}: only shared branches have staging environments`);
}
