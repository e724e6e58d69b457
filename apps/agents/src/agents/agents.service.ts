import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { agentAddressSettings, ConfigOf } from '@plinth/config';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS, CONFIG } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { requestContext } from '@plinth/observability';
import { toContract, type Agent, type AgentAddress } from './agent.entity';
import { AgentRights } from './agent-rights.service';
import { AgentsRepository } from './agents.repository';

const MOST_AGENTS = 200;

@Injectable()
export class AgentsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: ConfigOf<typeof agentAddressSettings>,
    private readonly agents: AgentsRepository,
    private readonly rights: AgentRights,
  ) {}

  async list(principal: Principal, deploymentId: number, query: QueryOf<'listAgents'>): Promise<ReplyOf<'listAgents'>> {
    await this.prepare(principal, deploymentId);
    const isEmbedded = await this.rights.isEmbedded(principal);
    const allowEmbedding = isEmbedded ? true : query.allowEmbedding;
    const among = isEmbedded ? 'all' : await this.rights.reachOf(principal, deploymentId, 'AgentRead');
    const { items, pageInfo } = await keysetList(query, {
      name: 'agents',
      filters: { deploymentId, allowEmbedding },
      positionOf: byId,
      read: (limit, [afterId]) =>
        this.database.transaction(principal.tenantId, (tx) =>
          this.agents.list(tx, { deploymentId, allowEmbedding, among }, limit, afterId),
        ),
    });
    return { items: items.map((agent) => toContract(agent, this.addressFor(principal))), pageInfo };
  }

  async get(principal: Principal, deploymentId: number, id: number): Promise<ReplyOf<'getAgent'>> {
    await this.prepare(principal, deploymentId);
    const agent = await this.database.transaction(principal.tenantId, (tx) => this.agents.find(tx, id, deploymentId));
    await this.rights.require(principal, agent, 'AgentRead');
    return toContract(agent, this.addressFor(principal));
  }

  /** @throws AppError `agent.name_taken`, `agent.too_many` (409) */
  async create(
    principal: Principal,
    deploymentId: number,
    { name, ...fields }: BodyOf<'createAgent'>,
  ): Promise<ReplyOf<'createAgent'>> {
    await this.prepare(principal, deploymentId);
    await this.rights.requireAll(principal, deploymentId, 'AgentManage');
    const { tenantId } = principal;
    return this.database.mutate(principal, async (tx) => {
      if ((await this.agents.countOf(tx, deploymentId)) >= MOST_AGENTS) {
        throw new AppError('agent.too_many', `A deployment has at most ${MOST_AGENTS} agents`);
      }
      const { instructions = null, model = null, views = null, allowEmbedding = false } = fields;
      const agent = { tenantId, deploymentId, name: name.trim(), instructions, model, views, allowEmbedding };
      return toContract(await this.agents.insert(tx, agent), this.addressFor(principal));
    });
  }

  async update(
    principal: Principal,
    deploymentId: number,
    id: number,
    { name, ...fields }: BodyOf<'updateAgent'>,
  ): Promise<ReplyOf<'updateAgent'>> {
    await this.requireManaged(principal, deploymentId, id);
    return this.database.mutate(principal, async (tx) => {
      const agent: Agent = await this.agents.find(tx, id, deploymentId);
      Object.assign(agent, fields, name !== undefined && { name: name.trim() });
      return toContract(await this.agents.save(tx, agent), this.addressFor(principal));
    });
  }

  /** @throws AppError `agent.automatic` (409) */
  async delete(principal: Principal, deploymentId: number, id: number): Promise<ReplyOf<'deleteAgent'>> {
    await this.requireManaged(principal, deploymentId, id);
    await this.database.mutate(principal, async (tx) => {
      const { isAutomatic } = await this.agents.find(tx, id, deploymentId);
      if (isAutomatic) throw new AppError('agent.automatic', 'The automatic agent of a deployment cannot be deleted');
      await this.agents.delete(tx, id);
      return null;
    });
    return undefined;
  }

  /** The agent that the deployment has from the start. @throws AppError `deployment.not_found` (404) */
  async automaticOf(principal: Principal, deploymentId: number): Promise<Agent> {
    await this.prepare(principal, deploymentId);
    return this.database.transaction(principal.tenantId, (tx) => this.agents.findAutomatic(tx, deploymentId));
  }

  private async requireManaged(principal: Principal, deploymentId: number, id: number): Promise<void> {
    await this.prepare(principal, deploymentId);
    const agent = await this.database.transaction(principal.tenantId, (tx) => this.agents.find(tx, id, deploymentId));
    await this.rights.require(principal, agent, 'AgentManage');
  }

  /** The deployment has its automatic agent. @throws AppError `deployment.not_found` (404) */
  private async prepare({ tenantId }: Principal, deploymentId: number): Promise<void> {
    await this.bus.ask('describeDeployment', systemPrincipal(tenantId), { deploymentId });
    await this.database.transaction(tenantId, (tx) => this.agents.ensureAutomatic(tx, tenantId, deploymentId));
  }

  private addressFor({ tenantName }: Principal): AgentAddress {
    return { baseUrl: this.config.aiUrl ?? requestContext()?.origin ?? '', accountName: tenantName };
  }
}
