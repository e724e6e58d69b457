import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { DataModelsService } from '../provisioning';
import { type Branch, BranchesRepository, DevSessionsRepository, isBlank } from '../data-models';
import type { Build } from './build.entity';
import { BuildsRepository } from './builds.repository';

type Status = ReplyOf<'buildStatus'>;

/** Clients stop to wait for a branch when they read one of these. */
const BAD_BRANCH = 'Bad branch';
const NOT_ACTIVE = 'Branch is not active';

@Injectable()
export class BuildStatusService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly models: DataModelsService,
    private readonly branches: BranchesRepository,
    private readonly builds: BuildsRepository,
    private readonly sessions: DevSessionsRepository,
  ) {}

  /** Never fails for a branch: an unknown one is an answer too. */
  async status(principal: Principal, deploymentId: number, { branchName }: QueryOf<'buildStatus'>): Promise<Status> {
    const { settings } = await this.models.open(principal.tenantId, deploymentId);
    const name = isBlank(branchName) ? settings.deployBranchName : branchName;
    return this.database.transaction(principal.tenantId, async (tx): Promise<Status> => {
      const branch = await this.branches.findByName(tx, deploymentId, name);
      if (!branch) return { ...waiting(deploymentId, name), errorText: `${BAD_BRANCH}: ${name}` };
      if (branch.kind === 'dev' && (await this.sessions.isOpen(tx, branch.id))) return edited(branch);
      const build = isServed(branch)
        ? await this.builds.findNewest(tx, deploymentId, name, branch.createdAt)
        : undefined;
      return build ? statusOf(branch, build) : { ...waiting(deploymentId, name), errorText: NOT_ACTIVE };
    });
  }
}

const isServed = ({ kind, isStagingEnvironmentEnabled }: Branch): boolean =>
  kind === 'deploy' || isStagingEnvironmentEnabled;

const waiting = (deploymentId: number, branchName: string): Status => ({
  deploymentId,
  branchName,
  mode: 'dev_mode',
  status: 'building',
});

const edited = ({ deploymentId, name }: Branch): Status => ({
  ...waiting(deploymentId, name),
  status: 'dev_mode',
  errorText: null,
});

const statusOf = (branch: Branch, build: Build): Status => ({
  deploymentId: branch.deploymentId,
  branchName: branch.name,
  mode: branch.kind === 'deploy' ? 'production' : 'dev_mode',
  status: build.status,
  errorText: build.errorText,
  buildJobId: build.id,
  filesHash: build.treeHash,
  lastHash: build.commitHash,
  updatedAt: (build.finishedAt ?? build.startedAt ?? build.createdAt).toISOString(),
});
