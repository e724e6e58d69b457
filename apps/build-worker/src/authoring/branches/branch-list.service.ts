import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { DataModelsService } from '../../provisioning';
import { BranchesRepository, BranchRefs, toContractBranch } from '../../data-models';

@Injectable()
export class BranchListService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
  ) {}

  async list(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'listBranches'>,
  ): Promise<ReplyOf<'listBranches'>> {
    const model = await this.models.open(principal.tenantId, deploymentId);
    const page = await keysetList(query, {
      name: 'branches',
      filters: { deploymentId },
      positionOf: byId,
      read: (limit, [afterId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.branches.list(tx, deploymentId, limit, afterId)),
    });
    const items = await Promise.all(
      page.items.map(async (branch) => toContractBranch(branch, await this.refs.headOf(model, branch))),
    );
    return { items, data: items, pageInfo: page.pageInfo };
  }

  /** All branches, for other services of the tenant. */
  async describe(
    { tenantId }: Principal,
    { deploymentId }: BodyOf<'listDeploymentBranches'>,
  ): Promise<ReplyOf<'listDeploymentBranches'>> {
    const model = await this.models.open(tenantId, deploymentId);
    const rows = await this.database.transaction(tenantId, (tx) => this.branches.list(tx, deploymentId));
    const branches = rows.map(async (branch) => ({
      id: branch.id,
      name: branch.name,
      parentBranch: branch.parent?.name ?? null,
      kind: branch.kind,
      ownerEmail: branch.ownerEmail,
      ownerUserId: branch.ownerUserId,
      isStagingEnvironmentEnabled: branch.isStagingEnvironmentEnabled,
      lastHash: await this.refs.headOf(model, branch),
    }));
    return { branches: await Promise.all(branches) };
  }
}
