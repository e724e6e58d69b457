import { App } from '@octokit/app';
import type { ConfigOf } from '@plinth/config';
import type { githubSettings } from './github.config';
import { toAppError, type Missing } from './github-errors';
import { githubFetch } from './github-fetch';

/** What the platform signs with as the App. */
export interface AppCredentials {
  appId: number;
  /** PEM. */
  privateKey: string;
}

export type GithubConfig = ConfigOf<typeof githubSettings>;

export interface InstallationDescription {
  id: number;
  login: string;
  accountType: 'Organization' | 'User';
  avatarUrl: string;
  suspended: boolean;
}

export interface RepositoryDescription {
  id: number;
  name: string;
  fullName: string;
  owner: string;
  private: boolean;
  htmlUrl: string;
  cloneUrl: string;
  defaultBranch: string;
}

/** A part of a list as GitHub cuts it. */
export interface RemotePage<Row> {
  rows: Row[];
  hasNext: boolean;
}

export interface RepositoryToken {
  token: string;
  expiresAt: Date;
}

/** Rows of one page at GitHub; the most that it allows. */
export const REMOTE_PAGE = 100;

/** A token with less life than this is replaced, so that it outlives the transfer it is asked for. */
const LEAST_LIFE_MS = 15 * 60_000;

export const installationMissing: Missing = {
  code: 'github.installation_not_found',
  message: 'There is no such installation',
};
export const repositoryMissing: Missing = {
  code: 'github.repository_not_found',
  message: 'The installation has no such repository',
};

type Request = App['octokit']['request'];

/**
 * GitHub's REST API as the platform's GitHub App. Tokens live in the memory of this process alone.
 *
 * Errors: AppError `github.unavailable` (503), `github.refused` (403), `github.installation_suspended` (409), and the
 * 404 of what is missing.
 */
export class GithubClient {
  private readonly app: App;

  constructor(credentials: AppCredentials, { githubBaseUrl, githubTimeoutMs }: GithubConfig) {
    const Octokit = coreOf(credentials).defaults({
      baseUrl: githubBaseUrl,
      request: { fetch: githubFetch(githubTimeoutMs) },
      log: silent,
    });
    this.app = new App({ ...credentials, Octokit, log: silent });
  }

  async installation(id: number): Promise<InstallationDescription> {
    return this.call(installationMissing, async () => {
      const { data } = await this.app.octokit.request('GET /app/installations/{installation_id}', {
        installation_id: id,
      });
      return toInstallation(data as RemoteInstallation);
    });
  }

  repositories(installationId: number, page: number): Promise<RemotePage<RepositoryDescription>> {
    return this.call(installationMissing, async () => {
      const request = await this.requestOf(installationId);
      const { data, headers } = await request('GET /installation/repositories', { page, per_page: REMOTE_PAGE });
      return { rows: data.repositories.map(toRepository), hasNext: leadsOn(headers.link) };
    });
  }

  /** The repository of that name, when the installation covers it. */
  repository(installationId: number, owner: string, repo: string): Promise<RepositoryDescription> {
    return this.call(repositoryMissing, async () => {
      // Any token reads public repositories; only one that names the repository proves that the installation has it.
      await this.tokenFor(installationId, { repositoryNames: [repo] });
      const request = await this.requestOf(installationId);
      const { data } = await request('GET /repos/{owner}/{repo}', { owner, repo });
      return toRepository(data);
    });
  }

  branches(
    installationId: number,
    { owner, name }: RepositoryDescription,
    page: number,
  ): Promise<RemotePage<{ name: string }>> {
    return this.call(repositoryMissing, async () => {
      const request = await this.requestOf(installationId);
      const { data, headers } = await request('GET /repos/{owner}/{repo}/branches', {
        owner,
        repo: name,
        page,
        per_page: REMOTE_PAGE,
      });
      return { rows: data.map((branch) => ({ name: branch.name })), hasNext: leadsOn(headers.link) };
    });
  }

  /**
   * Makes an empty repository in the organisation of the installation.
   *
   * @returns undefined when there is a repository of that name
   */
  createRepository(
    installationId: number,
    { owner, name, isPrivate }: { owner: string; name: string; isPrivate: boolean },
  ): Promise<RepositoryDescription | undefined> {
    return this.call(installationMissing, async () => {
      const request = await this.requestOf(installationId);
      try {
        const { data } = await request('POST /orgs/{org}/repos', { org: owner, name, private: isPrivate });
        return toRepository(data);
      } catch (error) {
        if (error instanceof Error && 'status' in error && error.status === 422) return undefined;
        throw error;
      }
    });
  }

  /** A token for the contents of one repository and nothing else. */
  repositoryToken(installationId: number, repositoryName: string): Promise<RepositoryToken> {
    const scope = { repositoryNames: [repositoryName], permissions: { contents: 'write' } };
    return this.call(repositoryMissing, async () => {
      const token = await this.tokenFor(installationId, scope);
      const isShort = token.expiresAt.getTime() - Date.now() < LEAST_LIFE_MS;
      return isShort ? this.tokenFor(installationId, { ...scope, refresh: true }) : token;
    });
  }

  private async tokenFor(installationId: number, scope: object): Promise<RepositoryToken> {
    const { token, expiresAt } = (await this.app.octokit.auth({ type: 'installation', installationId, ...scope })) as {
      token: string;
      expiresAt: string;
    };
    return { token, expiresAt: new Date(expiresAt) };
  }

  private async requestOf(installationId: number): Promise<Request> {
    return (await this.app.getInstallationOctokit(installationId)).request;
  }

  private async call<T>(missing: Missing, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toAppError(error, missing);
    }
  }
}

type Core = NonNullable<ConstructorParameters<typeof App>[0]['Octokit']>;

/** The class of the clients that an App makes; the library shows it in no other way. */
const coreOf = (credentials: AppCredentials): Core =>
  new App({ ...credentials, log: silent }).octokit.constructor as Core;

const ignore = (): void => undefined;
/** The library logs requests; what is worth knowing of them reaches the log as an error of this service. */
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const leadsOn = (link: string | undefined): boolean => link?.includes('rel="next"') ?? false;

/** The fields that are read of GitHub's bodies. */
export interface RemoteInstallation {
  id: number;
  account: { login: string; avatar_url: string; type: string };
  suspended_at: string | null;
}

interface RemoteRepository {
  /** The library admits integers beyond 2^53; GitHub has none. */
  id: number | bigint;
  name: string;
  full_name: string;
  owner: { login: string };
  private: boolean;
  html_url: string;
  clone_url: string;
  default_branch: string;
}

export const toInstallation = ({ id, account, suspended_at }: RemoteInstallation): InstallationDescription => ({
  id,
  login: account.login,
  accountType: account.type === 'User' ? 'User' : 'Organization',
  avatarUrl: account.avatar_url,
  suspended: suspended_at !== null,
});

const toRepository = (repository: RemoteRepository): RepositoryDescription => ({
  id: Number(repository.id),
  name: repository.name,
  fullName: repository.full_name,
  owner: repository.owner.login,
  private: repository.private,
  htmlUrl: repository.html_url,
  cloneUrl: repository.clone_url,
  defaultBranch: repository.default_branch,
});
