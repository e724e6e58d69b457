import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, inMemoryList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { deploymentNotFound } from '../secrets/deployment-errors';
import { DeploymentAddresses } from '../deployments/deployment-addresses';
import { DeploymentsRepository } from '../deployments/deployments.repository';
import { twoStylePage } from '../../kernel';
import {
  environmentsOf,
  isOfAnother,
  positionOf,
  toContractEnvironment,
  toLegacyEnvironment,
  typeOf,
  type Environment,
} from './environment';

@Injectable()
export class EnvironmentsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deployments: DeploymentsRepository,
    private readonly addresses: DeploymentAddresses,
    @Inject(BUS) private readonly bus: Bus,
  ) {}

  async list(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'getDeploymentEnvironments'>,
  ): Promise<ReplyOf<'getDeploymentEnvironments'>> {
    const { type } = query;
    const all = await this.served(principal.tenantId, deploymentId);
    const seen = principal.isAdmin ? all : all.filter((each) => !isOfAnother(each, principal.userId));
    const rows = seen.filter((environment) => type === undefined || environment.type === type);
    const list = {
      ...inMemoryList(rows, { name: 'environments', filters: { deploymentId, type }, positionOf }),
      readSlice: async (offset: number, limit: number) => rows.slice(offset, offset + limit),
      count: async () => rows.length,
    };
    const { legacyRows, pagination, ...page } = await twoStylePage(query, list, { defaultFirst: Infinity });
    const items = page.items.map(toContractEnvironment);
    const data = legacyRows ? { environments: legacyRows.map(toLegacyEnvironment) } : items;
    return { items, pageInfo: page.pageInfo, data, pagination };
  }

  /** @throws AppError `environment.not_found` (404), also for the environment of somebody else's dev branch. */
  async requireEnvironment(
    { tenantId, userId }: Principal,
    deploymentId: number,
    environmentId: number,
  ): Promise<void> {
    const all = await this.served(tenantId, deploymentId);
    if (all.some((each) => each.id === environmentId && !isOfAnother(each, userId))) return;
    throw new AppError('environment.not_found', 'The deployment has no such environment');
  }

  /** Not for clients: the caller is a service, acting inside the tenant of the principal. */
  async locate(
    { tenantId }: Principal,
    { deploymentId, branchName }: BodyOf<'locateEnvironment'>,
  ): Promise<ReplyOf<'locateEnvironment'>> {
    const all = await this.find(tenantId, deploymentId);
    const found = all?.find(({ type, branch }) =>
      branchName === null ? type === 'production' : branch === branchName,
    );
    if (!found) return { environment: null };
    return { environment: { environmentId: found.id, branchName: found.branch, type: found.type } };
  }

  /**
   * The branch by which an environment is known; null for production.
   *
   * @throws AppError `deployment.not_found`, `branch.not_found` (404), `branch.not_served` (400).
   */
  async requireServed(tenantId: number, deploymentId: number, branchName: string | null): Promise<string | null> {
    if (!(await this.deployments.findOutline(this.database, tenantId, deploymentId))) throw deploymentNotFound();
    if (branchName === null) return null;
    const { branches } = await this.bus.ask('listDeploymentBranches', systemPrincipal(tenantId), { deploymentId });
    const branch = branches.find(({ name }) => name === branchName);
    if (!branch) throw new AppError('branch.not_found', 'The deployment has no such branch');
    const type = typeOf(branch);
    if (!type) throw new AppError('branch.not_served', 'Nothing serves the branch: switch its staging environment on');
    return type === 'production' ? null : branchName;
  }

  private async served(tenantId: number, deploymentId: number): Promise<Environment[]> {
    const environments = await this.find(tenantId, deploymentId);
    if (!environments) throw deploymentNotFound();
    return environments;
  }

  private async find(tenantId: number, deploymentId: number): Promise<Environment[] | undefined> {
    const deployment = await this.deployments.findOutline(this.database, tenantId, deploymentId);
    if (!deployment) return undefined;
    const { branches } = await this.bus.ask('listDeploymentBranches', systemPrincipal(tenantId), { deploymentId });
    return environmentsOf(deployment, branches, this.addresses);
  }
}
