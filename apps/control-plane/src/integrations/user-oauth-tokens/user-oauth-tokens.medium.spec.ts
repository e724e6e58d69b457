import 'reflect-metadata';
import { anonymousPrincipal, type Principal } from '@plinth/auth';
import type { OAuthServer, PreparedAnswer } from '@plinth/testing';
import { newTenantAdmin, newUser, principalOf } from '../../testing/account-fixture';
import { transports, type Fixture } from '../../testing/deployment-fixture';
import {
  accessTokensOf,
  failing,
  integrationWith,
  redirectUri,
  returnedBy,
  startOAuthFixture,
  type OAuthFixture,
} from '../../testing/oauth-provider-fixture';

const shortLivedSeconds = 30;

describe.each(transports)('OAuth tokens of users over %s', (transport) => {
  let stop: () => Promise<void>;
  let platform: Fixture;
  let provider: OAuthServer;
  let newTenant: OAuthFixture['newTenant'];
  let admin: Principal;
  let ada: Principal;
  let visitor: Principal;
  let integrationId: number;

  beforeAll(async () => {
    ({ platform, provider, newTenant, stop } = await startOAuthFixture(transport, shortLivedSeconds));
  });
  afterAll(() => stop());
  beforeEach(async () => {
    ({ admin, ada, integrationId } = await newTenant());
    visitor = anonymousPrincipal(admin.tenantId, 'acme');
  });

  const person = async (name: string) =>
    principalOf(admin.tenantId, await platform.call(admin, 'createUser', { body: newUser(name) }));
  const createIntegration = (more: object = {}) =>
    platform.call(admin, 'createOAuthIntegration', { body: { ...integrationWith(provider), ...more } });
  const initiate = (by = ada, id = integrationId) =>
    platform.call(by, 'initiateOAuthFlow', { path: { integrationId: id } });
  const returned = (url: URL, by = visitor, id = integrationId) => ({ by, body: returnedBy(url, id) });
  const complete = ({ by, body }: ReturnType<typeof returned>) => platform.call(by, 'completeOAuthFlow', { body });
  const refusal = ({ by, body }: ReturnType<typeof returned>) => platform.refusal(by, 'completeOAuthFlow', { body });
  /** Where the browser is sent back to. */
  const atProvider = async (by = ada, id = integrationId) =>
    provider.authorise((await initiate(by, id)).authorizationUrl);
  const authorise = async (by = ada, id = integrationId) => complete(returned(await atProvider(by, id), visitor, id));
  const token = (by = ada, id = integrationId) =>
    platform.call(by, 'getUserOAuthToken', { path: { integrationId: id } });
  const revoke = (by = ada) => platform.call(by, 'revokeUserOAuthToken', { path: { integrationId } });
  const owner = () => ({ tenantId: admin.tenantId, userId: ada.userId ?? 0, integrationId });
  const accessTokens = (timeoutMs?: number) => accessTokensOf(platform, timeoutMs);
  const statement = (text: string, ...values: unknown[]) =>
    platform.database.readAsSystem<Record<string, unknown>>({ name: text.slice(0, 60), text }, values);
  const storedText = async () =>
    JSON.stringify(
      await statement(
        `select to_jsonb(t)::text as row from user_oauth_token t where tenant_id = $1
         union all select to_jsonb(f)::text from oauth_flow f where tenant_id = $1
         union all select payload::text from outbox where tenant_id = $1
         union all select event || attributes::text from audit_event where tenant_id = $1`,
        admin.tenantId,
      ),
    );
  const endAccessToken = () =>
    statement(`update user_oauth_token set access_token_expires_at = now() where tenant_id = $1`, admin.tenantId);
  const refreshes = () => provider.requests.filter((line) => line === 'POST /token').length;

  it('knows no integration of another tenant, and none that is not there', async () => {
    const stranger = await newTenantAdmin(platform);
    const path = { integrationId };
    expect(await platform.refusal(stranger, 'initiateOAuthFlow', { path })).toBe('oauth_integration.not_found');
    for (const operationId of ['getUserOAuthToken', 'revokeUserOAuthToken'] as const) {
      expect(await platform.refusal(stranger, operationId, { path })).toBe('oauth_token.not_found');
      expect(await platform.refusal(ada, operationId, { path })).toBe('oauth_token.not_found');
    }
  });

  it('refuses callers without a licence tier, and those who are no user', async () => {
    const path = { integrationId };
    const nobody = { ...ada, grants: [] };
    expect(await platform.refusal(nobody, 'initiateOAuthFlow', { path })).toBe('access.no_licence');
    const program = { ...admin, userId: null };
    expect(await platform.refusal(program, 'initiateOAuthFlow', { path })).toBe('access.denied');
  });

  it('asks for a code with state and PKCE', async () => {
    const { authorizationUrl, expiresAt } = await initiate();
    const { origin, pathname, searchParams } = new URL(authorizationUrl);
    expect(`${origin}${pathname}`).toBe(provider.authUrl);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ response_type: 'code', client_id: provider.clientId, redirect_uri: redirectUri },
      ...{ scope: 'openid offline_access read', prompt: 'login', code_challenge_method: 'S256' },
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9);
    expect(minutes).toBeLessThanOrEqual(10);
    expect(await storedText()).not.toContain(searchParams.get('state'));
  });

  it('takes a state once, also of many at the same time', async () => {
    const back = returned(await atProvider());
    const outcomes = await Promise.allSettled([complete(back), complete(back), complete(back)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(back)).toBe('oauth_flow.not_found');
    expect(await token()).toMatchObject({ status: 'active' });
  });

  it('takes no state of another tenant or integration, nor one that expired or was replaced', async () => {
    const stranger = anonymousPrincipal((await newTenantAdmin(platform)).tenantId, 'other');
    expect(await refusal(returned(await atProvider(), stranger))).toBe('oauth_flow.not_found');
    const other = await createIntegration({ name: 'Lake' });
    expect(await refusal(returned(await atProvider(), visitor, other.id))).toBe('oauth_flow.not_found');
    const old = await atProvider();
    await initiate();
    expect(await refusal(returned(old))).toBe('oauth_flow.not_found');
    const late = await atProvider();
    await statement(`update oauth_flow set expires_at = now() where tenant_id = $1`, admin.tenantId);
    expect(await refusal(returned(late))).toBe('oauth_flow.not_found');
    expect(await platform.call(ada, 'listUserOAuthTokens')).toEqual([]);
  });

  it('completes nothing for people who were locked out meanwhile', async () => {
    const url = await atProvider();
    await platform.call(admin, 'updateUser', { path: { id: ada.userId }, body: { isDeactivated: true } });
    expect(await refusal(returned(url))).toBe('oauth_flow.not_found');
  });

  it('says what the provider says to a wrong code, and uses the state up', async () => {
    const url = await atProvider();
    const { body } = returned(url);
    const wrong = { by: visitor, body: { ...body, code: 'made-up' } };
    await expect(complete(wrong)).rejects.toMatchObject({
      code: 'oauth_provider.refused',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ refused the request: invalid_grant$/),
    });
    expect(await refusal(returned(url))).toBe('oauth_flow.not_found');
  });

  it.each<[string, PreparedAnswer]>([
    ['is no JSON', (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
    ['is too large', failing(200, { access_token: 'x'.repeat(70_000), token_type: 'bearer' })],
    ['holds no token', failing(200, { token_type: 'bearer' })],
    ['is a failure', failing(500, { message: 'secret-detail' })],
  ])('bears an answer of the provider that %s', async (_name, answer) => {
    const back = returned(await atProvider());
    provider.answerNext(answer);
    const failure = (await complete(back).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: 'oauth_provider.unavailable' });
    expect(failure.message).not.toContain('secret-detail');
  });

  it("tells whose account it is, and keeps the tokens as that user's, sealed", async () => {
    const url = await atProvider();
    const back = returned(url);
    const { stateHash } = back.body;
    expect(await platform.call(visitor, 'describeOAuthFlow', { body: { stateHash } })).toEqual({
      ...{ integrationId, integrationName: 'Warehouse', email: ada.email },
      providerHost: new URL(provider.authUrl).host,
    });
    expect(await complete(back)).toEqual({ integrationName: 'Warehouse', email: ada.email });
    const bob = await person('bob');
    expect(await platform.call(bob, 'listUserOAuthTokens')).toEqual([]);
    const path = { integrationId };
    expect(await platform.refusal(bob, 'getUserOAuthToken', { path })).toBe('oauth_token.not_found');
    expect(await platform.refusal(bob, 'revokeUserOAuthToken', { path })).toBe('oauth_token.not_found');
    expect(await platform.call(ada, 'listUserOAuthTokens')).toEqual([await token()]);
    expect(await token()).toMatchObject({ userId: ada.userId, integrationId, status: 'active', lastError: null });
    const accessToken = await accessTokens().of(owner());
    const text = await storedText();
    for (const secret of [accessToken, back.body.code, provider.clientSecret]) expect(text).not.toContain(secret);
    expect(text).toContain('Authorised OAuth integration');
    expect(text).toContain(ada.email);
  });

  it('renews a token that is due, once for all who ask', async () => {
    await authorise();
    const before = refreshes();
    await endAccessToken();
    const replicas = [accessTokens(), accessTokens()];
    const asking = [1, 2, 3].flatMap(() => replicas.map((tokens) => tokens.of(owner())));
    const [accessToken = '', ...others] = [...new Set(await Promise.all(asking))];
    expect([others, refreshes() - before]).toEqual([[], 1]);
    expect(await provider.isActive(accessToken)).toBe(true);
    await endAccessToken();
    expect(await replicas[0]?.of(owner())).not.toBe(accessToken);
  });

  it('issues an access token to its user, with the right to it, and records that without the token', async () => {
    await authorise();
    await endAccessToken();
    const path = { integrationId };
    const issue = (by: Principal) => platform.call(by, 'issueUserOAuthAccessToken', { path });
    const refused = (by: Principal) => platform.refusal(by, 'issueUserOAuthAccessToken', { path });
    expect(await refused(ada)).toBe('access.denied');
    const allowed = { ...ada, grants: [{ action: 'OAuthIntegrationsIssueTokens', deploymentIds: null }] };
    expect(await refused({ ...allowed, deploymentIds: [1] })).toBe('access.deployment_out_of_scope');
    expect(await refused(admin)).toBe('oauth_token.not_found');
    const { accessToken, expiresAt } = await issue(allowed);
    expect(await provider.isActive(accessToken)).toBe(true);
    expect(Date.parse(expiresAt ?? '')).toBeGreaterThan(Date.now());
    expect((await issue(allowed)).accessToken).toBe(accessToken);
    expect(await storedText()).not.toContain(accessToken);
  });

  it('keeps a token whose provider is away, and recovers', async () => {
    await authorise();
    await endAccessToken();
    provider.answerNext(failing(503, {}));
    await expect(accessTokens().of(owner())).rejects.toMatchObject({ code: 'oauth_token.unusable' });
    expect(await token()).toMatchObject({ status: 'error', lastError: { code: 'unavailable' } });
    expect(await provider.isActive(await accessTokens().of(owner()))).toBe(true);
    expect(await token()).toMatchObject({ status: 'active', lastError: null });
  });

  it('does not wait for a provider that does not answer', async () => {
    await authorise();
    await endAccessToken();
    provider.answerNext(() => undefined);
    await expect(accessTokens(300).of(owner())).rejects.toMatchObject({ code: 'oauth_token.unusable' });
    expect((await token()).lastError?.message).toMatch(/not available: timed-out$/);
  });

  it('asks no more once the provider has ended the authorization, until the user authorises again', async () => {
    await authorise();
    await endAccessToken();
    provider.answerNext(failing(400, { error: 'invalid_grant', error_description: 'secret-detail' }));
    await expect(accessTokens().of(owner())).rejects.toMatchObject({ code: 'oauth_token.unusable' });
    const { status, lastError } = await token();
    expect([status, lastError?.code]).toEqual(['error', 'invalid_grant']);
    expect(JSON.stringify(lastError)).not.toContain('secret-detail');
    const before = refreshes();
    await expect(accessTokens().of(owner())).rejects.toMatchObject({ code: 'oauth_token.unusable' });
    expect(refreshes()).toBe(before);
    await authorise();
    expect(await token()).toMatchObject({ status: 'active', lastError: null });
  });

  it('revokes at the provider and forgets', async () => {
    await authorise();
    const accessToken = await accessTokens().of(owner());
    expect(await provider.isActive(accessToken)).toBe(true);
    expect(await revoke()).toEqual({ success: true, revokedAtProvider: true });
    expect(await provider.isActive(accessToken)).toBe(false);
    const path = { integrationId };
    expect(await platform.refusal(ada, 'revokeUserOAuthToken', { path })).toBe('oauth_token.not_found');
    await expect(accessTokens().of(owner())).rejects.toMatchObject({ code: 'oauth_token.not_found' });
  });

  it('forgets also when the provider is away, and says so', async () => {
    await authorise();
    provider.answerNext(failing(503, {}));
    expect(await revoke()).toEqual({ success: true, revokedAtProvider: false });
    expect(await platform.call(ada, 'listUserOAuthTokens')).toEqual([]);
  });

  it('forgets what was authorised at an integration that is deleted or becomes another client', async () => {
    await authorise();
    const { authUrl, tokenUrl } = provider;
    const body = { name: 'Warehouse', type: 'test', authUrl, tokenUrl, redirectUri, clientId: 'x', clientSecret: 'x' };
    const url = await atProvider();
    await platform.call(admin, 'updateOAuthIntegration', { path: { id: integrationId }, body });
    expect(await platform.call(ada, 'listUserOAuthTokens')).toEqual([]);
    expect(await refusal(returned(url))).toBe('oauth_flow.not_found');
    const other = await createIntegration({ name: 'Lake' });
    await authorise(ada, other.id);
    expect(await token(ada, other.id)).toMatchObject({ status: 'active' });
    await platform.call(admin, 'deleteOAuthIntegration', { path: { id: other.id } });
    expect(await platform.call(ada, 'listUserOAuthTokens')).toEqual([]);
  });
});
