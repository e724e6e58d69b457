import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { GithubClient, type GithubConfig } from './github-client';
import { GithubUser, type OAuthClient } from './github-user';

/** The GitHub App of this installation of the platform, as far as the operator has set it up. */
@Injectable()
export class GithubApp {
  private readonly configured: GithubClient | undefined;
  private readonly oauth: OAuthClient | undefined;

  constructor(@Inject(CONFIG) private readonly config: GithubConfig) {
    const { githubAppId: appId, githubAppPrivateKey: privateKey } = config;
    this.configured = appId && privateKey ? new GithubClient({ appId, privateKey }, config) : undefined;
    const { githubClientId: clientId, githubClientSecret: clientSecret } = config;
    this.oauth = clientId && clientSecret ? { clientId, clientSecret } : undefined;
  }

  get isConfigured(): boolean {
    return this.configured !== undefined;
  }

  /** @throws AppError `github.not_configured` (409) */
  get client(): GithubClient {
    if (!this.configured) throw notConfigured('GitHub is not set up here: the operator has registered no GitHub App');
    return this.configured;
  }

  /** @throws AppError `github.not_configured` (409), and those of {@link GithubUser.fromCode} */
  userOf(code: string): Promise<GithubUser> {
    if (!this.oauth) throw notConfigured('Accounts are linked to GitHub by the operator here');
    return GithubUser.fromCode(code, this.oauth, this.config);
  }

  /** Page on which a person authorises the App; undefined when the platform could not check who comes back. */
  authorisationUrl(state: string): string | undefined {
    if (!this.oauth) return undefined;
    const query = new URLSearchParams({ client_id: this.oauth.clientId, state });
    return `${this.config.githubWebUrl}/login/oauth/authorize?${query}`;
  }

  /** Page on which a person installs the App or changes what it covers. */
  installationUrl(state: string): string {
    const { githubWebUrl, githubAppSlug } = this.config;
    const folder = githubWebUrl === 'https://github.com' ? 'apps' : 'github-apps';
    return `${githubWebUrl}/${folder}/${githubAppSlug}/installations/new?${new URLSearchParams({ state })}`;
  }
}

const notConfigured = (message: string): AppError => new AppError('github.not_configured', message);
