import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { DataModelsService } from '../../provisioning';
import type { RemoteConnection } from '../git-remotes/git-remote.entity';
import { GitRemotesRepository } from '../git-remotes/git-remotes.repository';
import { RemoteAttachmentService } from '../git-remotes/remote-attachment.service';
import { isConnected } from '../git-remotes/remotes.service';
import { requestedRoot } from '../../data-models';
import { GithubCatalogueService } from './github-catalogue.service';
import type { RepositoryDescription } from './github-client';
import { GithubRepositoryFactory } from './github-repository.factory';
import { isSameRepository } from './repository-address';

type Request = NonNullable<BodyOf<'connect'>>;

/** What the older and the newer form of the request have in common. */
interface Wanted {
  installationId: number;
  owner: string | undefined;
  name: string;
  branch: string | undefined;
  root: string | undefined;
}

/** Connects deployments with repositories at GitHub. */
@Injectable()
export class GithubConnectService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly models: DataModelsService,
    private readonly catalogue: GithubCatalogueService,
    private readonly factory: GithubRepositoryFactory,
    private readonly remotes: GitRemotesRepository,
    private readonly attachments: RemoteAttachmentService,
  ) {}

  /**
   * May be repeated after a crash in between: every step finds what the one before has done.
   *
   * @throws AppError `github.already_connected` (409), `github.*` of the repository, `remote.*` (400) of its content
   */
  async connect(principal: Principal, deploymentId: number, request: Request): Promise<ReplyOf<'connect'>> {
    const wanted = wantedOf(request);
    const { tenantId } = principal;
    await this.models.open(tenantId, deploymentId);
    await this.catalogue.requireLinked(tenantId, wanted.installationId);
    const present = await this.connectionOf(tenantId, deploymentId);
    const repository = await this.repositoryFor(tenantId, deploymentId, wanted, request, present);
    if (present) await this.requireSame(present, repository, wanted);
    else await this.attach(principal, deploymentId, wanted, repository);
    return this.record(tenantId, deploymentId);
  }

  private repositoryFor(
    tenantId: number,
    deploymentId: number,
    { installationId, owner, name }: Wanted,
    { isNewRepo, private: isPrivate }: Request,
    present: RemoteConnection | undefined,
  ): Promise<RepositoryDescription> {
    if (!isNewRepo || present) return this.catalogue.repository(tenantId, installationId, { owner, name });
    return this.factory.create(
      { tenantId, deploymentId },
      { installationId, owner, name, isPrivate: isPrivate ?? true },
    );
  }

  private attach(
    principal: Principal,
    deploymentId: number,
    { installationId, branch, root }: Wanted,
    { cloneUrl, defaultBranch }: RepositoryDescription,
  ): Promise<void> {
    return this.attachments.attach(principal, deploymentId, {
      kind: 'github',
      url: cloneUrl,
      installationId,
      deployBranchName: branch ?? defaultBranch,
      deployProjectRoot: root,
    });
  }

  private async requireSame(
    present: RemoteConnection,
    { cloneUrl, fullName }: RepositoryDescription,
    { branch, root }: Wanted,
  ): Promise<void> {
    if (present.kind !== 'github' || !isSameRepository(present.url, cloneUrl)) {
      throw new AppError('github.already_connected', 'The deployment is connected to another repository');
    }
    const { settings } = await this.models.open(present.tenantId, present.deploymentId);
    const differs =
      (branch !== undefined && branch !== settings.deployBranchName) ||
      (root !== undefined && root !== settings.deployProjectRoot);
    if (!differs) return;
    const message = `The deployment is connected to ${fullName} already; its settings change the branch and the folder`;
    throw new AppError('github.already_connected', message);
  }

  private async connectionOf(tenantId: number, deploymentId: number): Promise<RemoteConnection | undefined> {
    const remote = await this.database.transaction(tenantId, (tx) => this.remotes.find(tx, deploymentId));
    return remote && isConnected(remote) ? remote : undefined;
  }

  private async record(tenantId: number, deploymentId: number): Promise<ReplyOf<'connect'>> {
    const { deployBranchName, deployProjectRoot } = (await this.models.open(tenantId, deploymentId)).settings;
    return this.bus.ask('recordDeploymentSource', systemPrincipal(tenantId), {
      deploymentId,
      creationMethod: 'github',
      deployBranchName,
      deployProjectRoot,
    });
  }
}

function wantedOf({ installationId, owner, name, repo, ...request }: Request): Wanted {
  const given = name ?? repo;
  if (given === undefined) throw invalidRequest('/body/name', 'is required');
  const parts = given.split('/');
  const [own, before] = [parts.pop() ?? '', parts.pop()];
  if (own === '' || parts.length > 0) throw invalidRequest('/body/name', 'is not the name of a repository');
  const root = presentText(request.deployProjectRoot);
  return {
    installationId,
    owner: owner ?? before,
    name: own.replace(/\.git$/, ''),
    branch: presentText(request.deployBranchName) ?? presentText(request.branch),
    root: root === undefined ? undefined : requestedRoot(root),
  };
}

const presentText = (text: string | null | undefined): string | undefined => text?.trim() || undefined;
