import { BaseRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { Agent } from './agent.entity';

/** What of an agent its users choose. */
export type AgentFields = Pick<Agent, 'name' | 'instructions' | 'model' | 'views' | 'allowEmbedding'>;

export interface AgentFilter {
  deploymentId: number;
  allowEmbedding: boolean | undefined;
  /** Ids of those that somebody may see. */
  among: 'all' | readonly number[];
}

const AUTOMATIC_NAME = 'Auto';

const taken = { agent_tenant_id_deployment_id_name_unique: () => nameTaken() };

export class AgentsRepository extends BaseRepository {
  /** Makes the agent that each deployment has, once: before there is any other that could have its name. */
  async ensureAutomatic(tx: Transaction, tenantId: number, deploymentId: number): Promise<void> {
    await this.managerFor(tx).query(
      `insert into agent (tenant_id, deployment_id, is_automatic, name)
       select $1, $2, true, $3 where not exists (
         select from agent where tenant_id = $1 and deployment_id = $2 and is_automatic)
       on conflict do nothing`,
      [tenantId, deploymentId, AUTOMATIC_NAME],
    );
  }

  list(
    tx: Transaction,
    { deploymentId, allowEmbedding, among }: AgentFilter,
    limit: number,
    afterId = 0,
  ): Promise<Agent[]> {
    const query = this.managerFor(tx)
      .createQueryBuilder(Agent, 'agent')
      .where('agent.deploymentId = :deploymentId and agent.id > :afterId', { deploymentId, afterId })
      .orderBy('agent.id')
      .limit(limit);
    if (allowEmbedding !== undefined) query.andWhere('agent.allowEmbedding = :allowEmbedding', { allowEmbedding });
    if (among !== 'all') query.andWhere('agent.id = any(:among)', { among });
    return query.getMany();
  }

  /** @throws AppError `agent.not_found` (404) */
  async find(tx: Transaction, id: number, deploymentId?: number): Promise<Agent> {
    const where = { id, ...(deploymentId !== undefined && { deploymentId }) };
    const agent = await this.managerFor(tx).findOneBy(Agent, where);
    if (!agent) throw new AppError('agent.not_found', 'There is no such agent');
    return agent;
  }

  /** @throws AppError `agent.not_found` (404) */
  async findAutomatic(tx: Transaction, deploymentId: number): Promise<Agent> {
    const agent = await this.managerFor(tx).findOneBy(Agent, { deploymentId, isAutomatic: true });
    if (!agent) throw new AppError('agent.not_found', 'There is no such agent');
    return agent;
  }

  countOf(tx: Transaction, deploymentId: number): Promise<number> {
    return this.managerFor(tx).countBy(Agent, { deploymentId });
  }

  /** @throws AppError `agent.name_taken` (409) */
  insert(tx: Transaction, agent: AgentFields & Pick<Agent, 'tenantId' | 'deploymentId'>): Promise<Agent> {
    const row = this.managerFor(tx).create(Agent, { ...agent, isAutomatic: false });
    return this.mapUnique(taken, () => this.managerFor(tx).save(row));
  }

  /** @throws AppError `agent.name_taken` (409) */
  save(tx: Transaction, agent: Agent): Promise<Agent> {
    agent.updatedAt = new Date();
    return this.mapUnique(taken, () => this.managerFor(tx).save(agent));
  }

  async delete(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).delete(Agent, { id });
  }

  async deleteOfDeployment(tx: Transaction, deploymentId: number): Promise<void> {
    await this.managerFor(tx).delete(Agent, { deploymentId });
  }
}

const nameTaken = (): AppError => new AppError('agent.name_taken', 'Another agent of the deployment has this name');
