import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, systemPrincipal, visibleDeployments, type Action, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Agent } from './agent.entity';

/** Agents that somebody may do something with: all of a deployment, or those with the ids. */
export type Reach = 'all' | readonly number[];

type AgentAction = 'AgentRead' | 'AgentManage';

/** What gives an action on all agents of a deployment. */
const onDeployment: Readonly<Record<AgentAction, readonly Action[]>> = {
  AgentRead: ['DeploymentAgentRead', 'AgentRead'],
  AgentManage: ['AgentManage'],
};

/** Finds out what a caller may do with agents, and refuses what they may not. */
@Injectable()
export class AgentRights {
  constructor(@Inject(BUS) private readonly bus: Bus) {}

  /**
   * Of embed sessions it is known what is theirs: the agents that host applications may offer.
   *
   * @throws AppError `access.denied` (403) for a session without AI
   */
  async isEmbedded(principal: Principal): Promise<boolean> {
    const { embed, tenantId } = principal;
    if (!embed) return false;
    const platform = systemPrincipal(tenantId);
    const [{ settings }, { allowsAi }] = await Promise.all([
      this.bus.ask('describeEmbedSession', platform, { sessionId: embed.sessionId }),
      this.bus.ask('describeEmbedding', platform, {}),
    ]);
    if (!(settings.allowAi ?? allowsAi)) throw new AppError('access.denied', 'AI is switched off for this session');
    return true;
  }

  /** Whoever lacks the action on the deployment is looked up, so that a change of rights is felt at once. */
  async reachOf(principal: Principal, deploymentId: number, action: AgentAction): Promise<Reach> {
    if (onDeployment[action].some((each) => covers(principal, each, deploymentId))) return 'all';
    const { tenantId, userId } = principal;
    if (userId === null) return [];
    const { policies } = await this.bus.ask('describeAgentRights', systemPrincipal(tenantId), { userId });
    const ids = policies
      .filter(({ level }) => action === 'AgentRead' || level === 'manage')
      .map((each) => each.agentId);
    return ids.includes(null) ? 'all' : ids.filter((id) => id !== null);
  }

  /**
   * @throws AppError `agent.not_found` (404) for an agent that the caller does not see, `access.denied` (403) where they
   *   see it and may not do this, and as `requireAccess` where its deployment is closed to them (403)
   */
  async require(principal: Principal, agent: Agent, action: AgentAction): Promise<void> {
    const { id, deploymentId } = agent;
    if (!covers(principal, 'DeploymentAgentRead', deploymentId))
      requireAccess(principal, 'DeploymentRead', deploymentId);
    if (await this.isEmbedded(principal)) return requireEmbedding(agent);
    if (reaches(await this.reachOf(principal, deploymentId, action), id)) return;
    const isSeen = action !== 'AgentRead' && reaches(await this.reachOf(principal, deploymentId, 'AgentRead'), id);
    if (!isSeen) throw new AppError('agent.not_found', 'There is no such agent');
    throw new AppError('access.denied', `This needs the permission ${action} on the agent`);
  }

  /** @throws AppError `access.denied` (403) */
  async requireAll(principal: Principal, deploymentId: number, action: AgentAction): Promise<void> {
    if ((await this.reachOf(principal, deploymentId, action)) === 'all') return;
    throw new AppError('access.denied', `This needs the permission ${action} on all agents of the deployment`);
  }
}

function requireEmbedding({ allowEmbedding }: Agent): void {
  if (!allowEmbedding) throw new AppError('access.denied', 'The agent is not for host applications');
}

const reaches = (reach: Reach, id: number): boolean => reach === 'all' || reach.includes(id);

function covers(principal: Principal, action: Action, deploymentId: number): boolean {
  const deployments = visibleDeployments(principal, action);
  return deployments === null || deployments.includes(deploymentId);
}
