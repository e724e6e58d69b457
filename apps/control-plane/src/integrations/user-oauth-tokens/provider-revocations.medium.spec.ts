import 'reflect-metadata';
import type { ServerResponse } from 'node:http';
import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { boundMs, until as untilAnswered, type OAuthServer, type PreparedAnswer } from '@plinth/testing';
import type { Fixture } from '../../testing/deployment-fixture';
import {
  failing,
  integrationWith,
  returnedBy,
  startOAuthFixture,
  type OAuthFixture,
} from '../../testing/oauth-provider-fixture';
import { UserOAuthTokensRepository } from './user-oauth-tokens.repository';

describe('tokens that nobody uses any more', () => {
  let stop: () => Promise<void>;
  let platform: Fixture;
  let provider: OAuthServer;
  let newTenant: OAuthFixture['newTenant'];
  let admin: Principal;
  let ada: Principal;
  let integrationId: number;

  beforeAll(async () => {
    ({ platform, provider, newTenant, stop } = await startOAuthFixture());
  });
  afterAll(() => stop());
  beforeEach(async () => {
    await statement('delete from provider_revocation');
    ({ admin, ada, integrationId } = await newTenant());
  });

  const statement = <Row>(text: string) => platform.database.readAsSystem<Row>({ name: text.slice(0, 60), text });
  /** Has Ada authorise the integration, and returns her tokens. */
  const authorise = async () => {
    const { authorizationUrl } = await platform.call(ada, 'initiateOAuthFlow', { path: { integrationId } });
    const body = returnedBy(await provider.authorise(authorizationUrl), integrationId);
    await platform.call(anonymousPrincipal(admin.tenantId, 'acme'), 'completeOAuthFlow', { body });
    const owner = { tenantId: admin.tenantId, userId: ada.userId ?? 0, integrationId };
    return platform.database.transaction(admin.tenantId, async (tx) => {
      const tokens = new UserOAuthTokensRepository(platform.secrets);
      const stored = await tokens.find(tx, owner);
      if (!stored) throw new Error('There is no token');
      return tokens.open(stored);
    });
  };
  const deleteIntegration = () => platform.call(admin, 'deleteOAuthIntegration', { path: { id: integrationId } });
  const waiting = () =>
    statement<{ attempts: number }>(`select attempts from provider_revocation where tenant_id = ${admin.tenantId}`);
  const until = (what: string, holds: () => Promise<boolean>) => untilAnswered(what, holds, Boolean);
  /** The provider answers the next question like this; resolves when it was asked. */
  const answerNext = (answer: PreparedAnswer) =>
    new Promise<ServerResponse>((resolve) =>
      provider.answerNext((response) => {
        answer(response);
        resolve(response);
      }),
    );
  const isGone = async () => (await waiting()).length === 0;
  /** When the attempt under way has ended, which would put it off. */
  const isDue = (more = '') => {
    const text = `update provider_revocation set next_attempt_at = now() ${more} where claim_id is null returning id`;
    return until('the end of the attempt', async () => (await statement(text)).length > 0);
  };

  it('are revoked at the provider when the integration is deleted, after a failure as well', async () => {
    const { accessToken } = await authorise();
    const attempt = answerNext(failing(503, {}));
    expect(await deleteIntegration()).toEqual({ success: true });
    await attempt;
    expect(await provider.isActive(accessToken)).toBe(true);
    await isDue();
    await until('the revocation', isGone);
    expect(await provider.isActive(accessToken)).toBe(false);
  });

  it('do not hold up the request, whatever the provider does', async () => {
    await authorise();
    const attempt = answerNext(() => undefined);
    const begun = performance.now();
    await deleteIntegration();
    expect(performance.now() - begun).toBeLessThan(boundMs(5_000));
    (await attempt).writeHead(200).end();
    await until('the revocation', isGone);
  });

  it.each([
    ['the user is deleted', () => platform.call(admin, 'deleteUser', { path: { id: ada.userId } })],
    [
      'the integration becomes another client',
      () =>
        platform.call(admin, 'updateOAuthIntegration', {
          path: { id: integrationId },
          body: { ...integrationWith(provider), clientId: 'another', clientSecret: 'another secret' },
        }),
    ],
  ])('are revoked also when %s', async (_what, end) => {
    const { accessToken } = await authorise();
    await end();
    await until('the revocation', async () => !(await provider.isActive(accessToken)));
    await until('the end', isGone);
  });

  it('are given up when the provider refuses, and when it never answers', async () => {
    await authorise();
    provider.answerNext(failing(400, { error: 'unsupported_token_type' }));
    await deleteIntegration();
    await until('the end', isGone);
    integrationId = (await platform.call(admin, 'createOAuthIntegration', { body: integrationWith(provider) })).id;
    await authorise();
    const attempts = [1, 2].map(() => answerNext(failing(503, {})));
    await deleteIntegration();
    await attempts[0];
    await isDue(', attempts = 9');
    await until('the end', isGone);
  });

  it('stay sealed while they wait', async () => {
    const { accessToken, refreshToken } = await authorise();
    const attempt = answerNext(failing(503, {}));
    await deleteIntegration();
    await attempt;
    const text = JSON.stringify(await statement('select to_jsonb(r)::text as row from provider_revocation r'));
    for (const secret of [accessToken, refreshToken ?? '', provider.clientSecret]) expect(text).not.toContain(secret);
    expect(text).toContain(provider.clientId);
  });

  it('are forgotten where the provider has nothing to revoke them with', async () => {
    const { authorizationParameters } = integrationWith(provider).config;
    const body = { ...integrationWith(provider), name: 'Lake', config: { authorizationParameters } };
    integrationId = (await platform.call(admin, 'createOAuthIntegration', { body })).id;
    await authorise();
    await deleteIntegration();
    expect(await waiting()).toEqual([]);
  });
});
