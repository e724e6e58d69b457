import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { newDeployment, startFixture, type Fixture } from '../../testing/deployment-fixture';

const PRODUCTION = 1;
const NOBODY = { principal: null, validForMs: 0 };

describe('tokens of deployments with which agents are asked', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let deploymentId: number;
  let developer: Principal;
  let userId: number;

  beforeAll(async () => {
    platform = await startFixture('in-process');
    const branch = { parentBranch: null, ownerEmail: null, ownerUserId: null, lastHash: null };
    platform.branches.push({
      ...branch,
      id: PRODUCTION,
      name: 'main',
      kind: 'deploy',
      isStagingEnvironmentEnabled: false,
    });
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    ({ id: deploymentId } = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Sales') }));
    userId = await tenant.newUser();
    await giveRole('Developer');
    developer = await tenant.principalOf(userId);
    await allow(true);
  });

  const giveRole = async (name: string, holder = userId) => {
    const path = { roleId: await tenant.builtInRole(name), userId: holder };
    await platform.call(tenant.admin, 'assignRoleToUser', { path });
    return path;
  };
  const allow = (isChatTokenAllowed: boolean) =>
    platform.call(tenant.admin, 'updateDeployment', { path: { deploymentId }, body: { isChatTokenAllowed } });
  const issue = async (context: object, scopes: string[] = ['chat'], by = developer) => {
    const request = { path: { deploymentId, environmentId: PRODUCTION }, body: { security_context: context, scopes } };
    return (await platform.call(by, 'createDeploymentEnvironmentToken', request)).data.token;
  };
  const authenticate = (token: string, tenantId = tenant.id) =>
    platform.call(systemPrincipal(tenantId), 'authenticateDeploymentToken', { body: { token } });

  it('stand for nobody when they are none, changed, or of another account', async () => {
    const token = await issue({ externalId: 'ada' });
    const [head, , signature] = token.split('.');
    const claims = Buffer.from(JSON.stringify({ plinth: { deployment: deploymentId } })).toString('base64url');
    for (const wrong of ['', 'a.b.c', `${head}.${claims}.${signature}`])
      expect(await authenticate(wrong)).toEqual(NOBODY);
    const stranger = await newTenant(platform);
    expect(await authenticate(token, stranger.id)).toEqual(NOBODY);
    for (const externalId of ['a b', '', 'a'.repeat(300), 7]) {
      expect(await authenticate(await issue({ externalId }))).toEqual(NOBODY);
    }
  });

  it('are refused where the switch is off, which it is from the start, and without the scope', async () => {
    const token = await issue({ externalId: 'ada' });
    await allow(false);
    expect(await authenticate(token)).toEqual({ ...NOBODY, refusal: 'chat.tokens_off' });
    await allow(true);
    for (const scopes of [[], ['meta', 'chat']]) {
      const other = await issue({ externalId: 'ada' }, scopes);
      expect(await authenticate(other)).toEqual({ ...NOBODY, refusal: 'chat.token_scope' });
    }
    const { id } = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Other') });
    const settings = await platform.call(tenant.admin, 'getDeploymentSettings', { path: { deploymentId: id } });
    expect(settings).toMatchObject({ isChatTokenAllowed: false, chatUrl: expect.stringMatching(/stream-chat-state$/) });
  });

  it('have no scope for who may not choose a context, and stand for nobody once their maker may ask no more', async () => {
    const viewer = await tenant.newUser();
    await giveRole('Viewer', viewer);
    const own = await issue({ externalId: 'ada' }, ['chat'], await tenant.principalOf(viewer));
    expect(await authenticate(own)).toEqual({ ...NOBODY, refusal: 'chat.token_scope' });
    const token = await issue({ externalId: 'ada' });
    const role = { roleId: await tenant.builtInRole('Developer'), userId };
    await platform.call(tenant.admin, 'removeRoleFromUser', { path: role });
    expect(await authenticate(token)).toEqual(NOBODY);
  });

  it('stand for the external user that they name, in lower case, with their context and no rights but to ask', async () => {
    const context = { externalId: 'Ada', email: 'ada@example.com', plant: 7 };
    const { principal, validForMs } = await authenticate(await issue(context));
    expect(principal).toMatchObject({
      ...{ kind: 'deployment-token', tenantId: tenant.id, userId, isAdmin: false, deploymentIds: [deploymentId] },
      grants: [
        { action: 'AIBIView', deploymentIds: null },
        { action: 'DeploymentAgentRead', deploymentIds: [deploymentId] },
      ],
      asker: { externalId: 'ada', environmentId: PRODUCTION, securityContext: context },
    });
    expect(validForMs).toBeGreaterThan(0);
  });

  it('stand for their maker when they name nobody', async () => {
    const { principal } = await authenticate(await issue({ plant: 7 }));
    expect(principal).toMatchObject({ userId, asker: { externalId: null, securityContext: { plant: 7 } } });
  });
});
