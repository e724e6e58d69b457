import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { DataModelsService } from '../../provisioning';
import { type Branch, BranchResolution, DevSessionsRepository, requireOwner, WriteTurns } from '../../data-models';
import { BranchForks } from '../branches/branch-forks';

@Injectable()
export class DevModeService {
  constructor(
    private readonly models: DataModelsService,
    private readonly resolution: BranchResolution,
    private readonly forks: BranchForks,
    private readonly sessions: DevSessionsRepository,
    private readonly turns: WriteTurns,
  ) {}

  /**
   * Forks a personal branch, unless dev mode is open on a fork of that branch already. The name of an own dev branch
   * opens that one again.
   */
  async start(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'startDevMode'>,
  ): Promise<ReplyOf<'startDevMode'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    return this.turns.mutate(principal, deploymentId, async (tx) => {
      const target = await this.resolution.resolveShared(tx, deploymentId, { branchName: body?.branchName });
      if (target.kind === 'dev') {
        requireOwner(principal, target);
        await this.forks.open(tx, principal, target);
        return stateOf(target);
      }
      const opened = await this.resolution.opened(tx, principal, deploymentId);
      if (opened?.kind === 'dev' && opened.parentId === target.id) return stateOf(opened);
      return stateOf(await this.forks.enter(tx, principal, model, target));
    });
  }

  async stop(principal: Principal, deploymentId: number): Promise<ReplyOf<'stopDevMode'>> {
    await this.models.open(principal.tenantId, deploymentId);
    return this.turns.mutate(principal, deploymentId, async (tx) => {
      await this.sessions.end(tx, deploymentId, principal.credentialId);
      return { success: true };
    });
  }
}

const stateOf = ({ name, parent }: Branch): ReplyOf<'startDevMode'> => ({
  active: true,
  branchName: name,
  parentBranch: parent?.name ?? null,
});
