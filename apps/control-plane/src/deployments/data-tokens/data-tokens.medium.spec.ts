import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import { Housekeeping } from '@plinth/database';
import { validateRequest, type BodyOf } from '@plinth/contract';
import { decodeJwt } from 'jose';
import { pino } from 'pino';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { recordedActions } from '../../testing/recorded-actions-fixture';
import { newDeployment, startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { deploymentsSchema } from '../deployments.schema';

const PRODUCTION = 1;
const STAGING = 2;

describe.each(transports)('tokens for data APIs over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let deploymentId: number;
  let user: Principal;
  let userId: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
    const branch = { parentBranch: null, ownerEmail: null, ownerUserId: null, lastHash: null };
    platform.branches.push(
      { ...branch, id: PRODUCTION, name: 'main', kind: 'deploy', isStagingEnvironmentEnabled: false },
      { ...branch, id: STAGING, name: 'next', kind: 'shared', isStagingEnvironmentEnabled: true },
    );
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    ({ id: deploymentId } = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Sales') }));
    userId = await tenant.newUser();
    await giveRole('Developer');
    user = await tenant.principalOf(userId);
  });

  const giveRole = async (name: string, holder = userId) => {
    const path = { roleId: await tenant.builtInRole(name), userId: holder };
    await platform.call(tenant.admin, 'assignRoleToUser', { path });
    return path;
  };
  const deploymentToken = async (by = user, body?: object) =>
    (await platform.call(by, 'deploymentToken', { path: { deploymentId }, body })).cubeApiToken;
  const environmentToken = async (by = user, environmentId = PRODUCTION, body: object = {}) => {
    const request = { path: { deploymentId, environmentId }, body: { security_context: {}, ...body } };
    return (await platform.call(by, 'createDeploymentEnvironmentToken', request)).data.token;
  };
  const syncToken = async () => {
    const request = { path: { deploymentId, environmentId: PRODUCTION }, body: { security_context: {} } };
    return (await platform.call(user, 'createDeploymentEnvironmentTokenForMetaSync', request)).data.token;
  };
  const verify = (token: string, request: Partial<BodyOf<'verifyDataToken'>> = {}, tenantId = tenant.id) => {
    const production = { deploymentId, environmentId: PRODUCTION, isProduction: true, use: 'data' as const };
    return platform.call(systemPrincipal(tenantId), 'verifyDataToken', { body: { token, ...production, ...request } });
  };
  /** What the token is refused for; undefined when it works. */
  const refusal = async (token: string, request: Partial<BodyOf<'verifyDataToken'>> = {}) =>
    (await verify(token, request)).refusal;
  const rotate = (body?: object, by = tenant.admin) =>
    platform.call(by, 'rotateDeploymentSecret', { path: { deploymentId }, body });
  const listed = async (by = user) => {
    const path = { deploymentId, environmentId: PRODUCTION };
    return (await platform.call(by, 'getDeploymentEnvironmentTokens', { path })).items;
  };
  const statement = (text: string, values: unknown[]) =>
    platform.database.readAsSystem<{ sealed_secret?: string }>({ name: text.slice(0, 60), text }, values);

  describe('open', () => {
    it('no other deployment, no other environment, and nothing in another tenant', async () => {
      const token = await deploymentToken();
      const other = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Other') });
      const stranger = await newTenant(platform);
      const staging = { environmentId: STAGING, isProduction: false };
      expect(await refusal(token, { deploymentId: other.id })).toBe('invalid');
      expect(await verify(token, {}, stranger.id)).toEqual({ access: null, refusal: 'invalid' });
      expect(await refusal(token, staging)).toBe('other_environment');
      expect(await refusal(await environmentToken(), staging)).toBe('other_environment');
      expect(await refusal(await environmentToken(user, STAGING))).toBe('other_environment');
      expect(await refusal(await environmentToken(user, STAGING), staging)).toBeUndefined();
    });

    it('no data when they are for metadata', async () => {
      const token = await syncToken();
      expect(await refusal(token)).toBe('metadata_only');
      expect((await verify(token, { use: 'metadata' })).access).toMatchObject({
        purpose: 'meta-sync',
        scopes: ['meta'],
      });
    });

    it('what the user behind them may see, and who that is', async () => {
      const groupId = await tenant.newGroup(userId);
      const newAttribute = (body: object) => platform.call(tenant.admin, 'createUserAttribute', { body });
      await newAttribute({ name: 'region', type: 'string', defaultValue: 'emea' });
      await newAttribute({ name: 'unset', type: 'string' });
      const { id } = await newAttribute({ name: 'teams', type: 'string_array', defaultValue: '["none"]' });
      const value = { userId, userAttributeId: id, value: ['sales'] };
      await platform.call(tenant.admin, 'upsertUserAttributeValue', { body: value });
      const own = { desk: 4, sub: 'user:1', cubeCloud: { userId: 1 } };
      await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { securityContext: own } });
      const [{ name: group } = { name: '' }] = (await platform.call(tenant.admin, 'getUserGroups')).items.filter(
        (each) => each.id === groupId,
      );
      const token = await deploymentToken();
      const { access } = await verify(token);
      expect(access).toEqual({
        tokenId: decodeJwt(token).jti,
        userId,
        purpose: 'deployment',
        scopes: [],
        securityContext: {
          desk: 4,
          cubeCloud: {
            userId,
            username: user.email,
            email: user.email,
            groups: [group],
            roles: ['Developer'],
            userAttributes: { region: 'emea', teams: ['sales'] },
          },
        },
        validForMs: expect.any(Number),
      });
      expect(access?.validForMs).toBeGreaterThan(86_000_000);
      expect(access?.validForMs).toBeLessThanOrEqual(86_400_000);
    });

    it("as a Viewer's, nothing that a Developer's opens", async () => {
      const viewerId = await tenant.newUser();
      await giveRole('Viewer', viewerId);
      const viewer = await tenant.principalOf(viewerId);
      const [theirs, ours] = [await environmentToken(viewer), await deploymentToken()];
      expect(theirs).not.toBe(ours);
      expect((await verify(theirs)).access).toMatchObject({
        userId: viewerId,
        purpose: 'environment',
        securityContext: { cubeCloud: { userId: viewerId, roles: ['Viewer'] } },
      });
      expect((await verify(ours)).access).toMatchObject({ userId, purpose: 'deployment' });
      expect(await platform.refusal(viewer, 'deploymentToken', { path: { deploymentId } })).toBe('access.denied');
    });

    it('nothing for a credential without a user, and none is made', async () => {
      for (const by of [systemPrincipal(tenant.id), { ...tenant.admin, userId: 999_999_999 }]) {
        const path = { deploymentId };
        expect(await platform.refusal(by, 'deploymentToken', { path })).toBe('auth.credential_invalid');
      }
    });
  });

  describe('end with their user, for good', () => {
    const endings: [what: string, end: () => Promise<unknown>][] = [
      ['deactivated', () => setDeactivated(true)],
      ['deactivated with others', () => bulk('DEACTIVATE')],
      ['given another password', () => updateUser({ password: 'correct horse battery' })],
      ['signed out', () => platform.call(tenant.admin, 'endUserSessions', { path: { id: userId } })],
      ['deleted', () => platform.call(tenant.admin, 'deleteUser', { path: { id: userId } })],
    ];
    const updateUser = (body: object) => platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body });
    const setDeactivated = (isDeactivated: boolean) => updateUser({ isDeactivated });
    const bulk = (action: string) =>
      platform.call(tenant.admin, 'bulkUserAction', { body: { action, userIds: [userId] } });

    it.each(endings)('%s, and everybody is told', async (_what, end) => {
      const tokens = [await deploymentToken(), await environmentToken()];
      const bystander = await environmentToken(tenant.admin);
      const notices = platform.notices('control-plane.credential.changed');
      await end();
      for (const token of tokens) expect(await refusal(token)).toBe('revoked');
      expect(await refusal(bystander)).toBeUndefined();
      expect(notices).toContainEqual({ tenantId: tenant.id });
    });

    it('and do not come back when the user does, who gets new ones', async () => {
      const [before, listedBefore] = [await deploymentToken(), await environmentToken()];
      expect(await listed()).toHaveLength(1);
      await setDeactivated(true);
      await setDeactivated(false);
      expect([await refusal(before), await refusal(listedBefore)]).toEqual(['revoked', 'revoked']);
      expect(await listed()).toEqual([]);
      expect(await refusal(await deploymentToken())).toBeUndefined();
    });

    it('and rest while the user does not reach the deployment', async () => {
      const token = await deploymentToken();
      const path = { roleId: await tenant.builtInRole('Developer'), userId };
      await platform.call(tenant.admin, 'removeRoleFromUser', { path });
      expect(await refusal(token)).toBe('revoked');
      await giveRole('Viewer');
      expect(await refusal(token)).toBeUndefined();
    });
  });

  describe('end with the secret of their deployment', () => {
    it('which only those replace who may change the deployment, with a grace period of a day at most', async () => {
      const viewerId = await tenant.newUser();
      await giveRole('Viewer', viewerId);
      const viewer = await tenant.principalOf(viewerId);
      const stranger = (await newTenant(platform)).admin;
      const request = { path: { deploymentId } };
      expect(await platform.refusal(viewer, 'rotateDeploymentSecret', request)).toBe('access.denied');
      expect(await platform.refusal(stranger, 'rotateDeploymentSecret', request)).toBe('deployment.not_found');
      const limited = { ...tenant.admin, deploymentIds: [deploymentId + 1] };
      const refused = await platform.refusal(limited, 'rotateDeploymentSecret', request);
      expect(refused).toBe('access.deployment_out_of_scope');
      const isValid = (graceSeconds: unknown) =>
        validateRequest('rotateDeploymentSecret', { path: { deploymentId: '1' }, query: {}, body: { graceSeconds } })
          .ok;
      expect([-1, 86_401, 1.5, 'an hour'].map(isValid)).toEqual([false, false, false, false]);
      expect([0, 86_400, null].map(isValid)).toEqual([true, true, true]);
    });

    it('at once without a grace period, and everybody is told', async () => {
      const [token, inList] = [await deploymentToken(), await environmentToken()];
      const notices = platform.notices('control-plane.credential.changed');
      expect(await rotate()).toEqual({ rotatedAt: expect.any(String), previousTokensExpireAt: null });
      expect([await refusal(token), await refusal(inList)]).toEqual(['invalid', 'invalid']);
      expect(await listed()).toEqual([]);
      expect(notices).toContainEqual({ tenantId: tenant.id });
      expect(await refusal(await deploymentToken())).toBeUndefined();
    });

    it('after the grace period and not before; nobody need remember the answer for longer', async () => {
      const [token, inList] = [await deploymentToken(), await environmentToken()];
      const { rotatedAt, previousTokensExpireAt } = await rotate({ graceSeconds: 3_600 });
      expect(Date.parse(previousTokensExpireAt ?? '') - Date.parse(rotatedAt)).toBe(3_600_000);
      const { access } = await verify(token);
      expect(access?.validForMs).toBeGreaterThan(3_500_000);
      expect(access?.validForMs).toBeLessThanOrEqual(3_600_000);
      expect(await listed()).toMatchObject([{ token: inList, expires_at: previousTokensExpireAt }]);
      const text = 'update previous_deployment_secret set expires_at = now() where deployment_id = $1';
      await statement(text, [deploymentId]);
      expect(await refusal(token)).toBe('invalid');
    });

    it('whatever grace an earlier rotation gave: a shorter one holds for all, none ends all', async () => {
      const first = await deploymentToken();
      await rotate({ graceSeconds: 86_400 });
      const second = await deploymentToken();
      await rotate({ graceSeconds: 60 });
      for (const token of [first, second]) expect((await verify(token)).access?.validForMs).toBeLessThanOrEqual(60_000);
      const third = await deploymentToken();
      await rotate({ graceSeconds: 0 });
      expect([await refusal(first), await refusal(second), await refusal(third)]).toEqual(
        Array.from({ length: 3 }, () => 'invalid'),
      );
    });

    it('of which a few are valid at once, and ending all makes room', async () => {
      const oldest = await deploymentToken();
      for (let time = 0; time < 4; time += 1) await rotate({ graceSeconds: 3_600 });
      await expect(rotate({ graceSeconds: 1_800 })).rejects.toMatchObject({ code: 'deployment.too_many_secrets' });
      expect((await verify(oldest)).access?.validForMs).toBeGreaterThan(1_800_000);
      await rotate();
      await rotate({ graceSeconds: 3_600 });
    });

    it('also when several replace it at the same moment: each takes its turn', async () => {
      const before = await deploymentToken();
      await Promise.all(Array.from({ length: 4 }, () => rotate({ graceSeconds: 600 })));
      expect(await refusal(before)).toBeUndefined();
      const versions = `select version from deployment_secret where deployment_id = $1
        union all select version from previous_deployment_secret where deployment_id = $1 order by version`;
      expect(await statement(versions, [deploymentId])).toEqual([1, 2, 3, 4, 5].map((version) => ({ version })));
    });

    it('which is stored sealed, also when it is replaced, is in the audit log by its grace period alone, and goes', async () => {
      const request = { path: { deploymentId }, body: { graceSeconds: 5 }, idempotencyKey: 'rotate-once' };
      const once = () => platform.call(tenant.admin, 'rotateDeploymentSecret', request);
      expect(await once()).toEqual(await once());
      const previous = 'select sealed_secret from previous_deployment_secret where deployment_id = $1';
      const rows = await statement(previous, [deploymentId]);
      expect(rows).toHaveLength(1);
      const opened = platform.secrets.open(rows[0]?.sealed_secret ?? '', `deployment:${deploymentId}:secret`);
      expect(opened).toMatch(/^[\w-]{64}$/);
      const recorded = await recordedActions(platform.database, tenant.id, 'Rotated deployment secret');
      expect(recorded).toMatchObject([{ attributes: { graceSeconds: 5 } }]);
      for (const table of ['previous_deployment_secret', 'environment_token']) {
        await statement(`update ${table} set expires_at = now() - interval '1 second' where deployment_id = $1`, [
          deploymentId,
        ]);
      }
      await new Housekeeping(platform.database, pino({ enabled: false }), deploymentsSchema.retention).run();
      expect(await statement(previous, [deploymentId])).toEqual([]);
    });
  });
});
