import type { GithubDelivery, GithubServer } from '@plinth/testing';
import type { ApiClient, ApiReply } from './api-client';

/** Settings of a platform that works with the App of that server. */
export const githubSettings = ({ app, apiUrl, webUrl }: GithubServer): Record<string, string> => ({
  PLINTH_GITHUB_APP_ID: String(app.appId),
  PLINTH_GITHUB_APP_PRIVATE_KEY: app.privateKey,
  PLINTH_GITHUB_APP_SLUG: app.slug,
  PLINTH_GITHUB_CLIENT_ID: app.clientId,
  PLINTH_GITHUB_CLIENT_SECRET: app.clientSecret,
  PLINTH_GITHUB_WEBHOOK_SECRET: app.webhookSecret,
  PLINTH_GITHUB_BASE_URL: apiUrl,
  PLINTH_GITHUB_WEB_URL: webUrl,
  // The servers of the tests are on this machine.
  PLINTH_GIT_ALLOW_INSECURE_REMOTES: 'true',
});

/** Links the installations on an organisation, as its owner does with a browser. */
export async function linkToGithub(api: ApiClient, github: GithubServer, organisation: string): Promise<void> {
  const { linkUrl } = await api.call('status');
  const state = new URL(linkUrl).searchParams.get('state') ?? '';
  const code = github.authorise('octocat', { [organisation]: 'admin' });
  const { linkCode } = await api.as(undefined).call('setUpGitHub', { query: { state, code } });
  await api.call('linkGitHubInstallations', { body: { linkCode } });
}

/** Sends a webhook as GitHub does: without a credential, and the body byte for byte. */
export async function sendWebhook(
  { baseUrl }: ApiClient,
  { headers, body }: GithubDelivery,
  more: Record<string, string> = {},
): Promise<ApiReply> {
  const sent = { method: 'POST', headers: { ...headers, ...more }, body };
  const response = await fetch(`${baseUrl}/api/v1/github/webhook`, sent);
  return { status: response.status, headers: {}, body: await response.json() };
}
