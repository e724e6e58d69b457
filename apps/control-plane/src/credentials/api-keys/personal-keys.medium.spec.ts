import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('API keys of users who are no administrators', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;
  let user: Principal;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    userId = await tenant.newUser();
    await giveRole(userId, ['1', '2']);
    user = await tenant.principalOf(userId);
  });

  async function giveRole(holder: number, resources: string[]): Promise<void> {
    const policies = [
      { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] },
      { resourceType: 'Deployment', actions: ['DeploymentRead'], resources },
    ];
    const { id } = await platform.call(tenant.admin, 'createRole', { body: { name: `Reads ${holder}`, policies } });
    await platform.call(tenant.admin, 'assignRoleToUser', { path: { roleId: id, userId: holder } });
  }
  const create = (body: object) => platform.call(user, 'createApiKey', { body });
  const idsSeenBy = async (principal: Principal) =>
    (await platform.call(principal, 'listApiKeys')).items.map(({ id }) => id);

  it('are refused while the account does not allow them, those that exist included, and kept', async () => {
    const { id, token } = await create({ name: 'mine' });
    await tenant.allowPersonalKeys(false);
    expect(await tenant.authenticate(token)).toEqual({ principal: null, refusal: 'access.personal_keys_off' });
    expect(await platform.refusal(user, 'createApiKey', { body: {} })).toBe('access.personal_keys_off');
    expect(await idsSeenBy(tenant.admin)).toContain(id);
    await tenant.allowPersonalKeys(true);
    expect((await tenant.authenticate(token)).principal).toMatchObject({ userId });
  });

  it('are off for a new account, whose administrators have keys all the same', async () => {
    const other = await newTenant(platform);
    const key = await other.newKey(await other.newUser());
    expect(await other.authenticate(key)).toEqual({ principal: null, refusal: 'access.personal_keys_off' });
    expect(await platform.call(other.admin, 'createApiKey')).toHaveProperty('token');
  });

  it('are limited to deployments that their owner reaches', async () => {
    expect(await platform.refusal(user, 'createApiKey', { body: { deploymentIds: [2, 3] } })).toBe('access.denied');
    expect(await create({ deploymentIds: [2] })).toMatchObject({ deploymentIds: [2] });
  });

  it('never grant more than their owner may do now, nor anything once the owner is locked out or gone', async () => {
    const { token } = await create({ deploymentIds: [1] });
    const { principal } = await tenant.authenticate(token);
    expect(principal).toMatchObject({
      isAdmin: false,
      deploymentIds: [1],
      grants: [
        { action: 'AIBIView', deploymentIds: null },
        { action: 'DeploymentRead', deploymentIds: [1, 2] },
      ],
    });
    const { items } = await platform.call(tenant.admin, 'getRoles');
    await platform.call(tenant.admin, 'deleteRole', { path: { roleId: items[0]?.id } });
    expect((await tenant.authenticate(token)).principal).toMatchObject({ grants: [] });
    const change = (name: string, text: string) => platform.database.readAsSystem({ name, text }, [userId]);
    await change('lock-out', 'update user_account set deactivated_at = now() where id = $1');
    expect(await tenant.authenticate(token)).toEqual({ principal: null });
    await change('let-in', 'update user_account set deactivated_at = null where id = $1');
    expect((await tenant.authenticate(token)).principal).not.toBeNull();
    await change('remove', 'delete from user_account where id = $1');
    expect(await tenant.authenticate(token)).toEqual({ principal: null });
  });

  it('are seen and revoked by their owner and by administrators, and by nobody else', async () => {
    const { id } = await create({ name: 'mine' });
    const otherId = await tenant.newUser();
    await giveRole(otherId, ['All']);
    const other = await tenant.principalOf(otherId);
    expect(await idsSeenBy(user)).toContain(id);
    expect(await idsSeenBy(other)).not.toContain(id);
    const path = { apiKeyId: id };
    expect(await platform.refusal(other, 'getApiKey', { path })).toBe('api_key.not_found');
    expect(await platform.refusal(other, 'deleteApiKey', { path })).toBe('api_key.not_found');
    expect(await platform.call(user, 'getApiKey', { path })).toMatchObject({ id, name: 'mine' });
    await platform.call(user, 'deleteApiKey', { path });
    expect(await idsSeenBy(tenant.admin)).not.toContain(id);
  });
});
