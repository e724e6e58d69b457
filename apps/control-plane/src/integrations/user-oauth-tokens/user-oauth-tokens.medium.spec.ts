import 'reflect-metadata';
import { createHash, randomUUID } from 'node:crypto';
import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import { startOAuthServer, type OAuthServer, type PreparedAnswer } from '@plinth/testing';
import { newDeployment, startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { ClientSecrets } from '../oauth-integrations/client-secrets.service';
import { OAuthIntegrationsRepository } from '../oauth-integrations/oauth-integrations.repository';
import { OAuthProviderClient } from '../oauth-integrations/oauth-provider.client';
import { newTenantAdmin, newUser, principalOf } from '../../testing/account-fixture';
import { ProviderCalls } from './provider-calls.service';
import { UserAccessTokens } from './user-access-tokens.service';
import { UserOAuthTokensRepository, type TokenOwner } from './user-oauth-tokens.repository';

const redirectUri = 'https://acme.example.com/auth/oauth-integrations/callback';
const shortLivedSeconds = 30;

const failing =
  (status: number, body: object): PreparedAnswer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe.each(transports)('OAuth tokens of users over %s', (transport) => {
  let platform: Fixture;
  let provider: OAuthServer;
  let admin: Principal;
  let ada: Principal;
  let visitor: Principal;
  let integrationId: number;

  beforeAll(async () => {
    provider = await startOAuthServer({ redirectUri, accessTokenSeconds: shortLivedSeconds });
    platform = await startFixture(transport, {
      PLINTH_OAUTH_ALLOW_INSECURE_PROVIDERS: 'true',
      PLINTH_OAUTH_PROVIDER_TIMEOUT_MS: '5000',
    });
    const branch = { id: 1, name: 'main', parentBranch: null, ownerEmail: null, ownerUserId: null, lastHash: null };
    platform.branches.push({ ...branch, kind: 'deploy', isStagingEnvironmentEnabled: false });
  });
  afterAll(async () => {
    await platform.stop();
    await provider.close();
  });
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    visitor = anonymousPrincipal(admin.tenantId, 'acme');
    ada = await person('ada');
    integrationId = (await createIntegration()).id;
  });

  const person = async (name: string) =>
    principalOf(admin.tenantId, await platform.call(admin, 'createUser', { body: newUser(name) }));
  const createIntegration = (more: object = {}) => {
    const { authUrl, tokenUrl, revocationUrl, clientId, clientSecret } = provider;
    const config = { revocationUrl, authorizationParameters: { prompt: 'login' } };
    const fields = {
      name: 'Warehouse',
      type: 'test',
      redirectUri,
      scopes: ['openid', 'offline_access', 'read'],
      config,
    };
    const body = { authUrl, tokenUrl, clientId, clientSecret, ...fields, ...more };
    return platform.call(admin, 'createOAuthIntegration', { body });
  };
  const initiate = (by = ada, id = integrationId) =>
    platform.call(by, 'initiateOAuthFlow', { path: { integrationId: id } });
  const hashOf = (state: string) => createHash('sha256').update(state).digest('hex');
  const returned = (url: URL, by = visitor, id = integrationId) => {
    const stateHash = hashOf(url.searchParams.get('state') ?? '');
    return { by, body: { stateHash, integrationId: id, code: url.searchParams.get('code') ?? '' } };
  };
  const complete = ({ by, body }: ReturnType<typeof returned>) => platform.call(by, 'completeOAuthFlow', { body });
  const refusal = ({ by, body }: ReturnType<typeof returned>) => platform.refusal(by, 'completeOAuthFlow', { body });
  const authorise = async (by = ada, id = integrationId) =>
    complete(returned(await provider.authorise((await initiate(by, id)).authorizationUrl), visitor, id));
  const token = (by = ada, id = integrationId) =>
    platform.call(by, 'getUserOAuthToken', { path: { integrationId: id } });
  const revoke = (by = ada) => platform.call(by, 'revokeUserOAuthToken', { path: { integrationId } });
  const owner = () => ({ tenantId: admin.tenantId, userId: ada.userId ?? 0, integrationId });
  const accessTokens = (timeoutMs = 5_000) => {
    const { database, secrets } = platform;
    const settings = { oauthAllowInsecureProviders: true, oauthAllowPrivateProviders: false };
    const client = new OAuthProviderClient(new ClientSecrets(secrets), {
      ...settings,
      oauthProviderTimeoutMs: timeoutMs,
    });
    const repositories = [new OAuthIntegrationsRepository(), new UserOAuthTokensRepository(secrets)] as const;
    const tokens = new UserAccessTokens(database, ...repositories, client, new ProviderCalls());
    return { of: async (whose: TokenOwner) => (await tokens.of(whose)).accessToken };
  };
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

  describe('in the context of queries', () => {
    const contextOf = async (by: Principal, context?: object) => {
      const { id: deploymentId } = await platform.call(admin, 'createDeployment', {
        body: newDeployment(randomUUID()),
      });
      const path = { deploymentId, environmentId: 1 };
      const body = { security_context: context ?? {} };
      const token = context
        ? (await platform.call(by, 'createDeploymentEnvironmentToken', { path, body })).data.token
        : (await platform.call(by, 'deploymentToken', { path: { deploymentId } })).cubeApiToken;
      const request = { token, deploymentId, environmentId: 1, isProduction: true, use: 'data' as const };
      const { access } = await platform.call(systemPrincipal(admin.tenantId), 'verifyDataToken', { body: request });
      return access?.securityContext;
    };
    const asAdmin = async () => {
      await platform.call(admin, 'updateUser', { path: { id: ada.userId ?? 0 }, body: { isAdmin: true } });
      return { ...ada, isAdmin: true };
    };

    it('are not there for others, for who has authorised nothing, and in a context that somebody has chosen', async () => {
      await authorise();
      expect(await contextOf(admin)).not.toHaveProperty('cubeCloud.userCredentials');
      expect(await contextOf(await asAdmin(), { region: 'emea' })).toEqual({ region: 'emea' });
      expect(await contextOf(await asAdmin(), { cubeCloud: { userId: admin.userId } })).not.toHaveProperty(
        'cubeCloud.userCredentials',
      );
    });

    it('are fresh ones, by the names of their integrations', async () => {
      await authorise();
      const context = await contextOf(await asAdmin());
      expect(context).toMatchObject({
        cubeCloud: { userId: ada.userId, userCredentials: { Warehouse: { status: 'active' } } },
      });
      const accessToken = await accessTokens().of(owner());
      expect(context).toHaveProperty('cubeCloud.userCredentials.Warehouse.accessToken', accessToken);
    });

    it('are there for queries without a token, as those of reports, and for their user alone', async () => {
      await authorise();
      const contextFor = async ({ userId }: Principal) => {
        const body = { userId };
        return (await platform.call(systemPrincipal(admin.tenantId), 'describeDataCaller', { body })).securityContext;
      };
      const accessToken = await accessTokens().of(owner());
      expect(await contextFor(ada)).toHaveProperty('cubeCloud.userCredentials.Warehouse', {
        status: 'active',
        accessToken,
      });
      expect(await contextFor(admin)).not.toHaveProperty('cubeCloud.userCredentials');
    });

    it('say what is wrong with those that cannot be renewed, and the query goes on', async () => {
      await authorise();
      await endAccessToken();
      provider.answerNext(failing(400, { error: 'invalid_grant' }));
      expect(await contextOf(await asAdmin())).toHaveProperty('cubeCloud.userCredentials.Warehouse', {
        status: 'error',
        error: expect.any(String),
      });
    });
  });

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
    const back = returned(await provider.authorise((await initiate()).authorizationUrl));
    const outcomes = await Promise.allSettled([complete(back), complete(back), complete(back)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await refusal(back)).toBe('oauth_flow.not_found');
    expect(await token()).toMatchObject({ status: 'active' });
  });

  it('takes no state of another tenant or integration, nor one that expired or was replaced', async () => {
    const back = async () => provider.authorise((await initiate()).authorizationUrl);
    const stranger = anonymousPrincipal((await newTenantAdmin(platform)).tenantId, 'other');
    expect(await refusal(returned(await back(), stranger))).toBe('oauth_flow.not_found');
    const other = await createIntegration({ name: 'Lake' });
    expect(await refusal(returned(await back(), visitor, other.id))).toBe('oauth_flow.not_found');
    const old = await back();
    await initiate();
    expect(await refusal(returned(old))).toBe('oauth_flow.not_found');
    const late = await back();
    await statement(`update oauth_flow set expires_at = now() where tenant_id = $1`, admin.tenantId);
    expect(await refusal(returned(late))).toBe('oauth_flow.not_found');
    expect(await platform.call(ada, 'listUserOAuthTokens')).toEqual([]);
  });

  it('completes nothing for people who were locked out meanwhile', async () => {
    const url = await provider.authorise((await initiate()).authorizationUrl);
    await platform.call(admin, 'updateUser', { path: { id: ada.userId }, body: { isDeactivated: true } });
    expect(await refusal(returned(url))).toBe('oauth_flow.not_found');
  });

  it('says what the provider says to a wrong code, and uses the state up', async () => {
    const url = await provider.authorise((await initiate()).authorizationUrl);
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
    const back = returned(await provider.authorise((await initiate()).authorizationUrl));
    provider.answerNext(answer);
    const failure = (await complete(back).catch((error: unknown) => error)) as Error;
    expect(failure).toMatchObject({ code: 'oauth_provider.unavailable' });
    expect(failure.message).not.toContain('secret-detail');
  });

  it("tells whose account it is, and keeps the tokens as that user's, sealed", async () => {
    const url = await provider.authorise((await initiate()).authorizationUrl);
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
    const url = await provider.authorise((await initiate()).authorizationUrl);
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
