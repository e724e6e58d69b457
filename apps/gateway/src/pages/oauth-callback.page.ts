import { createHash } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { Router } from 'express';
import { html } from '@plinth/html';
import type { PageHandler, PageReply, PageRequest } from './page-handler';

/** The redirect URI of OAuth integrations. */
export const oauthCallbackPath = '/auth/oauth-integrations/callback';

const STATE = /^[\w-]{43}$/;
const LONGEST_CODE = 4_096;

/**
 * Where OAuth providers send browsers back to. The person sees whose account gets the authorization before it counts:
 * a link that somebody else began must not hand them this person's data.
 */
export function oauthCallbackPage(pages: PageHandler, bus: Bus): Router {
  const router = Router();
  const callback = new OAuthCallbackPage(bus);
  router.get(
    '/',
    pages.page('oauth-callback', (page) => callback.show(page)),
  );
  router.post(
    '/',
    pages.page('oauth-callback', (page) => callback.confirm(page)),
  );
  router.all('/', pages.otherMethods('oauth-callback', ['GET', 'POST']));
  return router;
}

class OAuthCallbackPage {
  constructor(private readonly bus: Bus) {}

  async show({ principal, query }: PageRequest): Promise<PageReply> {
    const state = query.get('state');
    const { integrationName, providerHost, email } = await this.describe(principal, state);
    if (query.has('error')) return refusedBy(providerHost);
    const code = codeOf(query.get('code'));
    return {
      status: 200,
      title: `Connect ${integrationName}?`,
      content: html`<p>
          <strong>${email}</strong> at ${principal.tenantName} will be able to use <strong>${integrationName}</strong>
          with what you have granted at ${providerHost}.
        </p>
        <p>Go on only if this account is yours and you began this yourself.</p>
        <form method="post" action="${oauthCallbackPath}">
          <input type="hidden" name="state" value="${state ?? ''}" />
          <input type="hidden" name="code" value="${code}" />
          <button type="submit">Connect</button>
        </form>`,
    };
  }

  async confirm({ principal, form }: PageRequest): Promise<PageReply> {
    const { stateHash, integrationId } = await this.describe(principal, form['state']);
    const body = { stateHash, integrationId, code: codeOf(form['code']) };
    const { integrationName, email } = await this.bus.call('completeOAuthFlow', callOf(principal, body));
    return {
      status: 200,
      title: `${integrationName} is connected`,
      content: html`<p>It is ready for <strong>${email}</strong>. You can close this page.</p>`,
    };
  }

  private async describe(principal: PageRequest['principal'], state: unknown) {
    const stateHash = hashOf(state);
    return { stateHash, ...(await this.bus.call('describeOAuthFlow', callOf(principal, { stateHash }))) };
  }
}

const refusedBy = (providerHost: string): PageReply => ({
  status: 400,
  title: 'Nothing is connected',
  content: html`<p>${providerHost} did not grant the access. You can close this page and begin again.</p>`,
});

const callOf = <Body>(principal: PageRequest['principal'], body: Body) => ({ principal, path: {}, query: {}, body });

/** Only the hash of a state crosses the bus. */
function hashOf(state: unknown): string {
  if (typeof state !== 'string' || !STATE.test(state)) {
    throw new AppError(
      'oauth_flow.not_found',
      'The authorization has expired, was used, or was replaced by a newer one',
    );
  }
  return createHash('sha256').update(state).digest('hex');
}

function codeOf(code: unknown): string {
  if (typeof code !== 'string' || code === '' || code.length > LONGEST_CODE) {
    throw new AppError('request.invalid', 'The provider sent no code');
  }
  return code;
}
