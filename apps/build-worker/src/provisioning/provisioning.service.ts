import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import {
  RefMovedError,
  RepositoryStore,
  isValidBranchName,
  normaliseFolder,
  type BareRepository,
  type ObjectId,
} from '@plinth/git';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { DeployBranches } from './deploy-branches';
import { BranchNotices, RepositoriesRepository, repositoryId, type RepositorySettings } from '../data-models';
import { starterProject } from './starter-project';

type DeploymentDescription = Schemas['DeploymentDescription'];

/** What is left to do in a transaction once the git side of a data model is ready. */
export type Recording = (tx: Transaction) => Promise<void>;

/** Makes data models, follows the settings of their deployments, and removes them. Every step may be repeated. */
@Injectable()
export class ProvisioningService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly store: RepositoryStore,
    private readonly repositories: RepositoriesRepository,
    private readonly deployBranches: DeployBranches,
    private readonly notices: BranchNotices,
  ) {}

  /** @throws AppError `deployment.not_found` (404) */
  async provision(tenantId: number, deploymentId: number): Promise<void> {
    const record = await this.prepare(tenantId, deploymentId);
    await this.database.transaction(tenantId, record);
  }

  /** Makes the repository of a deployment, or brings its settings up to date, as control-plane describes it now. */
  async prepare(tenantId: number, deploymentId: number): Promise<Recording> {
    const description = await this.describe(tenantId, deploymentId);
    const settings = settingsOf(description);
    const git = await this.store.create(repositoryId(tenantId, deploymentId));
    const model = { settings, git };
    const known = await this.repositories.find(this.database, tenantId, deploymentId);
    if (known) return (tx) => this.update(tx, settings, git);
    const head = await firstCommit(git, settings.deployBranchName, description.creationMethod !== 'github');
    return async (tx) => {
      if (await this.repositories.insert(tx, settings)) await this.deployBranches.begin(tx, model, head);
      else await this.update(tx, settings, git);
    };
  }

  /** Forgets the rows of a deployment; `removeFiles` follows once that is committed. */
  forget(tx: Transaction, deploymentId: number): Promise<void> {
    this.notices.changedBy(tx, deploymentId);
    return this.repositories.delete(tx, deploymentId);
  }

  async removeFiles(tenantId: number, deploymentId: number): Promise<void> {
    await this.store.remove(repositoryId(tenantId, deploymentId));
  }

  /** What control-plane says of a deployment now. @throws AppError `deployment.not_found` (404) */
  async describe(tenantId: number, deploymentId: number): Promise<DeploymentDescription> {
    const description = await this.bus.ask('describeDeployment', systemPrincipal(tenantId), { deploymentId });
    if (description.deleted || description.tenantId !== tenantId) {
      throw new AppError('deployment.not_found', 'There is no such deployment');
    }
    return description;
  }

  private async update(tx: Transaction, settings: RepositorySettings, git: BareRepository): Promise<void> {
    if (!(await this.repositories.lock(tx, settings.deploymentId))) return;
    await this.repositories.update(tx, settings);
    this.notices.changedBy(tx, settings.deploymentId);
    await this.deployBranches.change(tx, { settings, git });
  }
}

/** Two workers may try at the same time: the second one finds the commit of the first. */
async function firstCommit(git: BareRepository, branch: string, starter: boolean): Promise<ObjectId> {
  const head = await git.head(branch);
  if (head) return head;
  const { commit } = await git.prepareCommit({
    expectedHead: null,
    changes: starter ? starterProject : [],
    message: 'Start the data model',
    author: { name: 'Plinth', email: '', at: new Date() },
  });
  try {
    await git.createBranch(branch, commit);
    return commit;
  } catch (error) {
    if (error instanceof RefMovedError && error.actual) return error.actual;
    throw error;
  }
}

function settingsOf(description: DeploymentDescription): RepositorySettings {
  const { deployMode, deployBranchName, deployBranchReadOnly, deployBranchMergeAllowed } = description;
  if (!isValidBranchName(deployBranchName)) {
    throw new AppError('branch.invalid_name', `${deployBranchName} cannot be the name of a branch`);
  }
  return {
    deploymentId: description.id,
    tenantId: description.tenantId,
    deployMode,
    deployBranchName,
    deployBranchReadOnly,
    deployBranchMergeAllowed,
    deployProjectRoot: normaliseFolder(description.deployProjectRoot),
  };
}
