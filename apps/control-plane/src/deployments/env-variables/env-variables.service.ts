import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList, type Transaction } from '@plinth/database';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentNotices } from '../deployments/deployment-notices';
import { DeploymentsRepository } from '../deployments/deployments.repository';
import { checkVariables, maskedVariable } from './env-variable-rules';
import { EnvVariablesRepository } from './env-variables.repository';

@Injectable()
export class EnvVariablesService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly variables: EnvVariablesRepository,
    private readonly notices: DeploymentNotices,
  ) {}

  /** Runs as a mutation, because looking at variables leaves a line in the audit log. */
  async list(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'getEnvVariables'>,
  ): Promise<ReplyOf<'getEnvVariables'>> {
    return this.database.mutate(principal, async (tx) => {
      if (!(await this.deployments.find(tx, deploymentId))) throw deploymentNotFound();
      return this.page(tx, deploymentId, query);
    });
  }

  async set(
    principal: Principal,
    deploymentId: number,
    { env_variables: variables }: BodyOf<'setEnvVariables'>,
  ): Promise<ReplyOf<'setEnvVariables'>> {
    return this.database.mutate(principal, async (tx) => {
      // The lock keeps two writers from waiting for each other's rows in turn.
      if (!(await this.deployments.findForUpdate(tx, deploymentId))) throw deploymentNotFound();
      const names = variables.map(({ name }) => name).filter((name) => !name.includes('\0'));
      checkVariables(variables, await this.variables.storedNames(tx, deploymentId, names));
      if (variables.length > 0) await this.variables.set(tx, principal.tenantId, deploymentId, variables);
      this.notices.changedBy(tx, deploymentId);
      return this.page(tx, deploymentId, {});
    });
  }

  private async page(
    tx: Transaction,
    deploymentId: number,
    query: QueryOf<'getEnvVariables'>,
  ): Promise<ReplyOf<'getEnvVariables'>> {
    const { items, pageInfo } = await keysetList(query, {
      name: 'env-variables',
      filters: { deploymentId },
      positionOf: ({ name }: { name: string }) => [name],
      read: (limit, [afterName]) => this.variables.list(tx, deploymentId, limit, afterName),
    });
    const masked = items.map(maskedVariable);
    return { items: masked, data: masked, pageInfo };
  }
}
