import { Inject, Injectable } from '@nestjs/common';
import { requireAccess, systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { AgentsRepository } from '../agents';
import { actingPrincipal } from './acting-principal';
import { McpDefaultsRepository } from './mcp-defaults.repository';

/** What tools are about where a call does not say. */
@Injectable()
export class McpDefaultsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly defaults: McpDefaultsRepository,
    private readonly agents: AgentsRepository,
  ) {}

  async get({ tenantId }: Principal): Promise<ReplyOf<'getMcpSettings'>> {
    const found = await this.database.transaction(tenantId, (tx) => this.defaults.find(tx, tenantId));
    return settingsOf(found);
  }

  /** @throws AppError `request.invalid` (400), `deployment.not_found`, `agent.not_found` (404) */
  async set(
    principal: Principal,
    { deploymentId = null, agentId = null }: BodyOf<'setMcpSettings'>,
  ): Promise<ReplyOf<'setMcpSettings'>> {
    const { tenantId } = principal;
    if (deploymentId === null && agentId !== null) throw invalidRequest('/body/agentId', 'needs a deploymentId');
    if (deploymentId !== null) await this.bus.ask('describeDeployment', systemPrincipal(tenantId), { deploymentId });
    return this.database.mutate(principal, async (tx) => {
      if (deploymentId === null) await this.defaults.delete(tx, tenantId);
      else {
        if (agentId !== null) await this.agents.find(tx, agentId, deploymentId);
        await this.defaults.save(tx, { tenantId, deploymentId, agentId });
      }
      return settingsOf({ deploymentId, agentId });
    });
  }

  /**
   * The deployment that a call is about: the one that it names, the default of the account, or the only one there is.
   *
   * @throws AppError `request.invalid` (400) when it could be several, and as `requireAccess` for one that the caller may not ask.
   */
  async deploymentFor(principal: Principal, named: number | undefined): Promise<number> {
    const deploymentId = named ?? (await this.get(principal)).deploymentId ?? (await this.onlyOne(principal));
    requireAccess(principal, 'DeploymentAgentRead', deploymentId);
    return deploymentId;
  }

  /** As {@link deploymentFor}, with the agent that answers; undefined for the automatic one. */
  async agentFor(
    principal: Principal,
    named: { deploymentId?: number | undefined; agentId?: number | undefined },
  ): Promise<{ deploymentId: number; agentId: number | undefined }> {
    const deploymentId = await this.deploymentFor(principal, named.deploymentId);
    if (named.agentId !== undefined) return { deploymentId, agentId: named.agentId };
    const usual = await this.get(principal);
    return { deploymentId, agentId: usual.deploymentId === deploymentId ? (usual.agentId ?? undefined) : undefined };
  }

  private async onlyOne(principal: Principal): Promise<number> {
    const call = { principal: actingPrincipal(principal), path: {}, query: { first: 2 }, body: undefined };
    const { items } = await this.bus.call('getDeployments', call);
    const [only] = items;
    if (only && items.length === 1) return only.id;
    throw new AppError('request.invalid', 'Say which deployment is meant by deploymentId: list_deployments shows them');
  }
}

const settingsOf = (found: { deploymentId: number | null; agentId: number | null } | null) => ({
  url: `${requestContext()?.origin ?? ''}/api/mcp`,
  deploymentId: found?.deploymentId ?? null,
  agentId: found?.agentId ?? null,
});
