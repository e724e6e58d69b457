import { startOAuthServer, type OAuthServer } from '@plinth/testing';
import { type Browser, type Page } from 'playwright-core';
import { follow, launchBrowser } from './harness/browser';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const callback = '/auth/oauth-integrations/callback';

describe.each(onNats)('OAuth integrations: %s', (_name, start) => {
  let topology: Topology;
  let provider: OAuthServer;
  let browser: Browser;
  let page: Page;
  let integrationId: number;

  beforeAll(async () => {
    topology = await start();
    const redirectUri = `${topology.admin.baseUrl}${callback}`;
    provider = await startOAuthServer({ redirectUri });
    const { authUrl, tokenUrl, revocationUrl, clientId, clientSecret } = provider;
    const endpoints = { authUrl, tokenUrl, redirectUri, config: { revocationUrl } };
    const body = { name: 'Warehouse', type: 'test', clientId, clientSecret, scopes: ['read'], ...endpoints };
    integrationId = (await topology.admin.call('createOAuthIntegration', { body })).id;
    browser = await launchBrowser();
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } });
    page = await context.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await provider?.close();
    await topology?.stop();
  });

  const path = () => ({ path: { integrationId } });
  const heading = () => page.getByRole('heading', { level: 1 }).textContent();
  const shoot = async (name: string) => {
    const folder = process.env['PLINTH_SCREENSHOTS'];
    if (folder) await page.screenshot({ path: `${folder}/integration-${name}.png` });
  };

  it('answers the paths that command-line clients send, and initiates with an empty body', async () => {
    const { admin } = topology;
    for (const target of ['/api/v1/oauth-integrations/', '/api/v1/user-oauth-tokens/', '/api/v1/oidc-token-configs/']) {
      expect([target, (await admin.send('GET', target)).status]).toEqual([target, 200]);
    }
    const begun = await admin.send('POST', `/api/v1/user-oauth-tokens/${integrationId}/initiate`);
    expect(begun).toMatchObject({ status: 200, body: { authorizationUrl: expect.stringContaining(provider.authUrl) } });
    const unknown = await admin.send('GET', '/api/v1/user-oauth-tokens/999999');
    expect(unknown).toMatchObject({ status: 404, body: { code: 'oauth_token.not_found' } });
  });

  it('lets a person authorise one in a browser, once, and take it back', async () => {
    const { admin } = topology;
    const { authorizationUrl } = await admin.call('initiateOAuthFlow', path());
    await page.goto(authorizationUrl);
    const returnedTo = page.url();
    expect(returnedTo).toContain(callback);
    expect(await heading()).toBe('Connect Warehouse?');
    await shoot('confirm');
    expect(await admin.call('listUserOAuthTokens')).toEqual([]);
    await follow(page.getByRole('button', { name: 'Connect' }));
    expect(await heading()).toBe('Warehouse is connected');
    expect(page.url()).toBe(`${admin.baseUrl}${callback}`);
    await shoot('done');
    expect(await admin.call('getUserOAuthToken', path())).toMatchObject({ integrationId, status: 'active' });
    expect((await page.goto(returnedTo))?.status()).toBe(404);
    await shoot('used');
    expect(await admin.call('revokeUserOAuthToken', path())).toEqual({ success: true, revokedAtProvider: true });
    expect(await admin.call('listUserOAuthTokens')).toEqual([]);
  });
});
