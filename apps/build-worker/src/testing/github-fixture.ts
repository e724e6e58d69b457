import type { Principal } from '@plinth/auth';
import type { Environment } from '@plinth/config';
import type { GithubDelivery, GithubServer } from '@plinth/testing';
import type { Fixture } from './fixture';

/** Settings of a worker that works with the App of that server. */
export const settingsFor = ({ app, apiUrl, webUrl }: GithubServer): Environment => ({
  PLINTH_GITHUB_APP_ID: String(app.appId),
  PLINTH_GITHUB_APP_PRIVATE_KEY: app.privateKey,
  PLINTH_GITHUB_APP_SLUG: app.slug,
  PLINTH_GITHUB_CLIENT_ID: app.clientId,
  PLINTH_GITHUB_CLIENT_SECRET: app.clientSecret,
  PLINTH_GITHUB_WEBHOOK_SECRET: app.webhookSecret,
  PLINTH_GITHUB_BASE_URL: apiUrl,
  PLINTH_GITHUB_WEB_URL: webUrl,
  PLINTH_GITHUB_TIMEOUT_MS: '2000',
  // The servers of the tests are on this machine.
  PLINTH_GIT_ALLOW_INSECURE_REMOTES: 'true',
});

/** The state that `linkUrl` hands to GitHub. */
export async function stateFor(platform: Fixture, principal: Principal): Promise<string> {
  const { linkUrl } = await platform.call(principal, 'status');
  return new URL(linkUrl).searchParams.get('state') ?? '';
}

/** Links every installation on the organisation to the tenant, the way a person does. */
export async function linkAs(
  platform: Fixture,
  github: GithubServer,
  principal: Principal,
  organisation: string,
): Promise<void> {
  const state = await stateFor(platform, principal);
  const code = github.authorise('octocat', { [organisation]: 'admin' });
  const { linkCode } = await platform.call(principal, 'setUpGitHub', { query: { state, code } });
  await platform.call(principal, 'linkGitHubInstallations', { body: { linkCode } });
}

/** A webhook the way the gateway hands it on. */
export const webhookRequest = ({ headers, body }: GithubDelivery) => ({
  headers,
  rawBody: Buffer.from(body).toString('base64'),
});
