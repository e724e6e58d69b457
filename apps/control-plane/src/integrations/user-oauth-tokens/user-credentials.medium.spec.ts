import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { anonymousPrincipal, systemPrincipal, type Principal } from '@plinth/auth';
import type { OAuthServer } from '@plinth/testing';
import { newDeployment, type Fixture } from '../../testing/deployment-fixture';
import {
  accessTokensOf,
  failing,
  returnedBy,
  startOAuthFixture,
  type OAuthFixture,
} from '../../testing/oauth-provider-fixture';

describe('credentials of users in the context of their queries', () => {
  let stop: () => Promise<void>;
  let platform: Fixture;
  let provider: OAuthServer;
  let newTenant: OAuthFixture['newTenant'];
  let admin: Principal;
  let ada: Principal;
  let integrationId: number;

  beforeAll(async () => {
    ({ platform, provider, newTenant, stop } = await startOAuthFixture());
    const branch = { id: 1, name: 'main', parentBranch: null, ownerEmail: null, ownerUserId: null, lastHash: null };
    platform.branches.push({ ...branch, kind: 'deploy', isStagingEnvironmentEnabled: false });
  });
  afterAll(() => stop());
  beforeEach(async () => {
    ({ admin, ada, integrationId } = await newTenant());
  });

  const authorise = async () => {
    const { authorizationUrl } = await platform.call(ada, 'initiateOAuthFlow', { path: { integrationId } });
    const body = returnedBy(await provider.authorise(authorizationUrl), integrationId);
    await platform.call(anonymousPrincipal(admin.tenantId, 'acme'), 'completeOAuthFlow', { body });
  };
  const accessTokenOfAda = () =>
    accessTokensOf(platform).of({ tenantId: admin.tenantId, userId: ada.userId ?? 0, integrationId });
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
    const accessToken = await accessTokenOfAda();
    expect(context).toHaveProperty('cubeCloud.userCredentials.Warehouse.accessToken', accessToken);
  });

  it('are there for queries without a token, as those of reports, and for their user alone', async () => {
    await authorise();
    const contextFor = async ({ userId }: Principal) => {
      const body = { userId };
      return (await platform.call(systemPrincipal(admin.tenantId), 'describeDataCaller', { body })).securityContext;
    };
    const accessToken = await accessTokenOfAda();
    expect(await contextFor(ada)).toHaveProperty('cubeCloud.userCredentials.Warehouse', {
      status: 'active',
      accessToken,
    });
    expect(await contextFor(admin)).not.toHaveProperty('cubeCloud.userCredentials');
  });

  it('say what is wrong with those that cannot be renewed, and the query goes on', async () => {
    await authorise();
    const text = 'update user_oauth_token set access_token_expires_at = now() where tenant_id = $1';
    await platform.database.readAsSystem({ name: 'end-access-token', text }, [admin.tenantId]);
    provider.answerNext(failing(400, { error: 'invalid_grant' }));
    expect(await contextOf(await asAdmin())).toHaveProperty('cubeCloud.userCredentials.Warehouse', {
      status: 'error',
      error: expect.any(String),
    });
  });
});
