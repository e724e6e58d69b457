import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { Database, decodeCursor, encodeCursor, resolveCursorPaging, toPage } from '@plinth/database';
import { DataModelsService } from '../../provisioning';
import { BranchesRepository, BranchRefs, toContractBranch } from '../../data-models';

const list = 'branches';

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
    const { first, after } = resolveCursorPaging(query);
    const filters = { deploymentId };
    const [afterId] = after === undefined ? [] : decodeCursor(list, filters, after);
    const rows = await this.database.transaction(principal.tenantId, (tx) =>
      this.branches.list(tx, deploymentId, first + 1, afterId as number | undefined),
    );
    const cursorOf = ({ id }: { id: number }) => encodeCursor(list, filters, [id]);
    const page = toPage(rows, first, { cursorOf, after });
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
