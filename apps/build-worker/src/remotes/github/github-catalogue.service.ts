import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { PathOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { GithubApp } from './github-app';
import { installationMissing, repositoryMissing, type RepositoryDescription } from './github-client';
import { suspended } from './github-errors';
import { toContractInstallation, type GithubInstallation } from './github-installation.entity';
import { GithubInstallationsRepository } from './github-installations.repository';
import { remotePage } from './remote-page';

/** What a tenant can see of GitHub: through installations that are linked to it, and no others. */
@Injectable()
export class GithubCatalogueService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly links: GithubInstallationsRepository,
    private readonly app: GithubApp,
  ) {}

  async installations(principal: Principal, query: QueryOf<'installations'>): Promise<ReplyOf<'installations'>> {
    // Refuses when there is no App, as the other lists do.
    void this.app.client;
    const page = await keysetList(query, {
      name: 'github-installations',
      filters: {},
      positionOf: ({ installationId }: GithubInstallation) => [installationId],
      read: (limit, [afterId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.links.list(tx, limit, afterId)),
    });
    const items = page.items.map(toContractInstallation);
    return { items, data: items, pageInfo: page.pageInfo };
  }

  async repositories(
    principal: Principal,
    { installationId }: PathOf<'repositories'>,
    query: QueryOf<'repositories'>,
  ): Promise<ReplyOf<'repositories'>> {
    const { client } = this.app;
    await this.requireLinked(principal.tenantId, installationId);
    const page = await remotePage(
      {
        name: 'github-repositories',
        filters: { installationId },
        fetch: (number) => client.repositories(installationId, number),
      },
      query,
    );
    const items = page.items.map(toContractRepository);
    return { items, data: items, pageInfo: page.pageInfo };
  }

  async branches(
    principal: Principal,
    { owner, repo }: PathOf<'branches'>,
    { installationId, ...query }: QueryOf<'branches'>,
  ): Promise<ReplyOf<'branches'>> {
    const { client } = this.app;
    const repository = await this.repository(principal.tenantId, installationId, { owner, name: repo });
    const page = await remotePage(
      {
        name: 'github-branches',
        filters: { installationId, repositoryId: repository.id },
        fetch: (number) => client.branches(installationId, repository, number),
      },
      query,
    );
    const items = page.items.map(({ name }) => ({ name, isDefault: name === repository.defaultBranch }));
    return { items, data: items, pageInfo: page.pageInfo };
  }

  /**
   * A repository of a linked installation.
   *
   * @throws AppError `github.installation_not_found`, `github.repository_not_found` (404), and those of the client
   */
  async repository(
    tenantId: number,
    installationId: number,
    { owner, name }: { owner?: string | undefined; name: string },
  ): Promise<RepositoryDescription> {
    const { client } = this.app;
    const { login } = await this.requireLinked(tenantId, installationId);
    // GitHub scopes tokens by the name of a repository alone, so the owner has to be checked here.
    if (owner !== undefined && owner.toLowerCase() !== login.toLowerCase()) {
      throw new AppError(repositoryMissing.code, repositoryMissing.message);
    }
    return client.repository(installationId, login, name);
  }

  /** @throws AppError `github.installation_not_found` (404), also for that of another tenant; `.._suspended` (409) */
  async requireLinked(tenantId: number, installationId: number): Promise<GithubInstallation> {
    const link = await this.database.transaction(tenantId, (tx) => this.links.find(tx, installationId));
    if (!link) throw new AppError(installationMissing.code, installationMissing.message);
    if (link.suspendedAt) throw suspended();
    return link;
  }
}

const toContractRepository = (repository: RepositoryDescription): Schemas['GitHubRepoResponse'] => ({
  id: repository.id,
  name: repository.name,
  htmlUrl: repository.htmlUrl,
  fullName: repository.fullName,
  private: repository.private,
  defaultBranch: repository.defaultBranch,
});
