import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { RemoteTransport, type ObjectId } from '@plinth/git';
import { DataModelsService, starterProject } from '../../provisioning';
import { BranchesRepository, BranchRefs, type DataModel } from '../../data-models';
import { RemoteAccesses } from '../git-remotes/remote-access';
import { toRemoteAppError } from '../git-remotes/remote-errors';
import { GithubApp } from './github-app';
import { GithubCatalogueService } from './github-catalogue.service';
import type { RepositoryDescription } from './github-client';

/** A repository that is to be made. */
export interface NewGithubRepository {
  installationId: number;
  owner: string | undefined;
  name: string;
  isPrivate: boolean;
}

/** Makes repositories at GitHub that begin with the data model of a deployment. */
@Injectable()
export class GithubRepositoryFactory {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly app: GithubApp,
    private readonly catalogue: GithubCatalogueService,
    private readonly models: DataModelsService,
    private readonly branches: BranchesRepository,
    private readonly refs: BranchRefs,
    private readonly accesses: RemoteAccesses,
    private readonly transport: RemoteTransport,
  ) {}

  /**
   * An empty repository of that name is taken as one that an earlier attempt has made.
   *
   * @throws AppError `github.repository_exists` (409) when the repository has commits
   */
  async create(
    { tenantId, deploymentId }: { tenantId: number; deploymentId: number },
    { installationId, owner, name, isPrivate }: NewGithubRepository,
  ): Promise<RepositoryDescription> {
    const { login, accountType } = await this.catalogue.requireLinked(tenantId, installationId);
    if (accountType === 'User') {
      throw invalidRequest('/body/isNewRepo', 'works in organisations alone: make the repository at GitHub first');
    }
    if (owner !== undefined && owner.toLowerCase() !== login.toLowerCase()) {
      throw invalidRequest('/body/owner', 'is not the account of the installation');
    }
    const made = await this.app.client.createRepository(installationId, { owner: login, name, isPrivate });
    const repository = made ?? (await this.catalogue.repository(tenantId, installationId, { name }));
    const model = await this.models.open(tenantId, deploymentId);
    await this.fill(model, repository, installationId);
    return { ...repository, defaultBranch: model.settings.deployBranchName };
  }

  private async fill(model: DataModel, { cloneUrl, fullName }: RepositoryDescription, installationId: number) {
    const { tenantId, deploymentId, deployBranchName: branch } = model.settings;
    const connection = { tenantId, deploymentId, kind: 'github', url: cloneUrl, installationId } as const;
    try {
      const access = await this.accesses.accessOf(connection);
      const { branches } = await this.transport.list(model.git, access);
      if (branches.length > 0) throw new AppError('github.repository_exists', `${fullName} exists and has commits`);
      await this.transport.push(model.git, access, { branch, newOid: await this.firstCommit(model), oldOid: null });
    } catch (error) {
      throw toRemoteAppError(error);
    }
  }

  /** What the deploy branch holds; on top of it a starter project where it has no data model yet. */
  private async firstCommit(model: DataModel): Promise<ObjectId> {
    const { tenantId, deploymentId, deployProjectRoot: root } = model.settings;
    const branch = await this.database.transaction(tenantId, (tx) => this.branches.findDeployBranch(tx, deploymentId));
    if (!branch) throw new AppError('branch.not_found', 'The deployment has no deploy branch');
    const head = await this.refs.headOf(model, branch);
    const below = (folder: string): string => (root === '' ? folder : `${root}/${folder}`);
    for (const folder of ['model', 'schema']) {
      if ((await model.git.readTree(head, { prefix: below(folder) })).length > 0) return head;
    }
    const { commit } = await model.git.prepareCommit({
      expectedHead: head,
      changes: starterProject.map((change) => ({ ...change, path: below(change.path) })),
      message: 'Start the data model',
      author: { name: 'Plinth', email: '', at: new Date() },
    });
    return commit;
  }
}
