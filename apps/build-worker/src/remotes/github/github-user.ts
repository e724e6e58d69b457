import { AppError } from '@plinth/errors';
import type { GithubConfig, InstallationDescription, RemoteInstallation } from './github-client';
import { REMOTE_PAGE, toInstallation } from './github-client';
import { unavailable } from './github-errors';
import { githubFetch, secondsToWait } from './github-fetch';

export interface OAuthClient {
  clientId: string;
  clientSecret: string;
}

/**
 * What a person may do at GitHub, by the code of their authorisation. Their token is used here and then forgotten.
 *
 * Errors: AppError `github.link_invalid` (400) for a code that is not good, `github.unavailable` (503).
 */
export class GithubUser {
  private readonly fetch: typeof fetch;

  private constructor(
    private readonly token: string,
    private readonly config: GithubConfig,
  ) {
    this.fetch = githubFetch(config.githubTimeoutMs);
  }

  static async fromCode(code: string, client: OAuthClient, config: GithubConfig): Promise<GithubUser> {
    const body = JSON.stringify({ client_id: client.clientId, client_secret: client.clientSecret, code });
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const url = `${config.githubWebUrl}/login/oauth/access_token`;
    const reply = (await read(githubFetch(config.githubTimeoutMs), url, { method: 'POST', headers, body })) as
      { access_token?: string } | undefined;
    if (!reply?.access_token) throw new AppError('github.link_invalid', 'GitHub does not know the code, or it is used');
    return new GithubUser(reply.access_token, config);
  }

  /**
   * The installations of the App on the person's own account and on organisations that they own. Who merely works on
   * a repository sees its installation too, but may not hand it to an account of the platform.
   */
  async ownedInstallations(): Promise<InstallationDescription[]> {
    const user = (await this.get('/user')) as { login: string } | undefined;
    const page = (await this.get(`/user/installations?per_page=${REMOTE_PAGE}`)) as
      { installations: RemoteInstallation[] } | undefined;
    if (!user || !page) return [];
    const seen = page.installations.map(toInstallation);
    const owned = await Promise.all(seen.map((each) => this.owns(user.login, each)));
    return seen.filter((_each, index) => owned[index]);
  }

  private async owns(login: string, installation: InstallationDescription): Promise<boolean> {
    if (installation.accountType === 'User') return installation.login === login;
    const path = `/user/memberships/orgs/${encodeURIComponent(installation.login)}`;
    const membership = (await this.get(path)) as { state?: string; role?: string } | undefined;
    return membership?.state === 'active' && membership.role === 'admin';
  }

  private get(path: string): Promise<unknown> {
    const headers = { accept: 'application/vnd.github+json', authorization: `Bearer ${this.token}` };
    return read(this.fetch, this.config.githubBaseUrl + path, { headers });
  }
}

/** The JSON of a good answer; undefined when GitHub refuses. */
async function read(send: typeof fetch, url: string, init: RequestInit): Promise<unknown> {
  const response = await send(url, init).catch((error: Error) => error);
  if (response instanceof Error) throw unavailable(response.name);
  if (response.ok) return response.json();
  await response.body?.cancel();
  const seconds = secondsToWait(response.status, response.headers);
  if (response.status >= 500 || seconds !== undefined) throw unavailable(`status ${response.status}`, seconds);
  return undefined;
}
