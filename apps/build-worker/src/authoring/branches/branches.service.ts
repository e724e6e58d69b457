import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { DataModelsService } from '../../provisioning';
import {
  BranchRefs,
  BranchRemoval,
  BranchResolution,
  requireOwner,
  requireSharedName,
  unknownBranch,
  WriteTurns,
} from '../../data-models';
import { RemoteTasksRepository } from '../../remotes';
import { BranchForks } from './branch-forks';

@Injectable()
export class BranchesService {
  constructor(
    private readonly models: DataModelsService,
    private readonly resolution: BranchResolution,
    private readonly forks: BranchForks,
    private readonly refs: BranchRefs,
    private readonly removal: BranchRemoval,
    private readonly remoteTasks: RemoteTasksRepository,
    private readonly turns: WriteTurns,
  ) {}

  async create(
    principal: Principal,
    deploymentId: number,
    { name, from, activate, enterDevMode }: BodyOf<'createBranch'>,
  ): Promise<ReplyOf<'createBranch'>> {
    requireSharedName(name);
    const model = await this.models.open(principal.tenantId, deploymentId);
    return this.turns.mutate(principal, deploymentId, async (tx) => {
      const origin = await this.resolution.resolveShared(tx, deploymentId, { branchName: from });
      const branch = await this.forks.createShared(tx, model, name, origin);
      if (!activate && !enterDevMode) {
        return { active: false, branchName: name, parentBranch: branch.parent?.name ?? null };
      }
      const dev = await this.forks.enter(tx, principal, model, branch);
      return { active: true, branchName: dev.name, parentBranch: name };
    });
  }

  async remove(
    principal: Principal,
    deploymentId: number,
    { branchName, removeOnUpstream }: QueryOf<'removeBranch'>,
  ): Promise<ReplyOf<'removeBranch'>> {
    const { git } = await this.models.open(principal.tenantId, deploymentId);
    let head: string | null = null;
    const reply = await this.turns.mutate(principal, deploymentId, async (tx) => {
      const branch = await this.resolution.named(tx, deploymentId, { branchName });
      if (!branch) throw unknownBranch(branchName);
      if (branch.kind === 'deploy') throw new AppError('branch.protected', 'The deploy branch cannot be deleted');
      requireOwner(principal, branch);
      head = await git.head(branch.name);
      await this.removal.remove(tx, branch.id);
      if (removeOnUpstream && branch.kind === 'shared')
        await this.remoteTasks.requestRemoval(tx, deploymentId, branchName);
      return { success: true };
    });
    // Only now: until the commit, the branch exists. A crash in between leaves a reference that nobody sees.
    if (head) await this.refs.discard(git, branchName, head);
    return reply;
  }
}
