import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { newDeployment, startFixture, transports, type Fixture } from '../../testing/deployment-fixture';

describe.each(transports)('the calling user over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;
  let user: Principal;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    userId = await tenant.newUser();
    await assign(await tenant.builtInRole('Viewer'));
    user = await tenant.principalOf(userId);
  });

  const assign = (roleId: number) => platform.call(tenant.admin, 'assignRoleToUser', { path: { roleId, userId } });
  const newRole = async (name: string, action: string, resource: string) => {
    const policies = [{ resourceType: 'Deployment', actions: [action], resources: [resource] }];
    return (await platform.call(tenant.admin, 'createRole', { body: { name, policies } })).id;
  };
  const me = () => platform.call(user, 'getCurrentUser');
  const set = (body: object) => platform.call(user, 'updateMySettings', { body });

  it('is refused without a user behind the credential, and once the user is deleted', async () => {
    const program = { ...user, userId: null };
    for (const operationId of ['getCurrentUser', 'updateMySettings', 'getEmbedTheme'] as const) {
      expect(await platform.refusal(program, operationId, { body: {} })).toBe('auth.credential_invalid');
    }
    await platform.call(tenant.admin, 'deleteUser', { path: { id: userId } });
    expect(await platform.refusal(user, 'getCurrentUser')).toBe('auth.credential_invalid');
    const text = 'select payload from outbox where tenant_id = $1 and type = $2';
    const told = await platform.database.readAsSystem({ name: 'told', text }, [user.tenantId, 'user.deleted']);
    expect(told).toEqual([{ payload: { userId } }]);
  });

  it('sees the policies of all roles, their own and those of their groups', async () => {
    await assign(await newRole('Reads', 'DeploymentRead', '5'));
    const group = await tenant.newGroup(userId);
    await tenant.giveRoleToGroup(group, await newRole('Writes', 'SchemaUpdate', '6'));
    const { userPolicies, defaultRoles, isAdmin } = await me();
    expect([defaultRoles, isAdmin]).toEqual([['Viewer'], false]);
    expect(userPolicies).toContainEqual({ resourceType: 'Deployment', actions: ['DeploymentRead'], resources: ['5'] });
    expect(userPolicies).toContainEqual({ resourceType: 'Deployment', actions: ['SchemaUpdate'], resources: ['6'] });
    await platform.call(tenant.admin, 'removeUserGroupMembers', { path: { id: group }, body: { userIds: [userId] } });
    expect(JSON.stringify((await me()).userPolicies)).not.toContain('SchemaUpdate');
  });

  it('who administers the account sees the policies of that', async () => {
    const { userPolicies, defaultRoles } = await platform.call(tenant.admin, 'getCurrentUser');
    expect(defaultRoles).toEqual(['Admin']);
    expect(userPolicies).toContainEqual(expect.objectContaining({ resourceType: 'Global', actions: ['All'] }));
  });

  it('changes their own preferences bit by bit, and nobody else’s', async () => {
    const { id } = await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Sales') });
    await set({ theme: 'dark', defaultDeploymentId: id, sheets: { showAppliedFilters: true } });
    await set({ locale: 'en-GB', sheets: { revealSheetOnOpen: false }, lastSeenChangelogId: 9 });
    expect((await me()).settings).toEqual({
      theme: 'dark',
      locale: 'en-GB',
      defaultDeploymentId: id,
      sheets: { showAppliedFilters: true, revealSheetOnOpen: false },
    });
    expect((await set({ defaultDeploymentId: null, sheets: null, theme: null })).settings).toEqual({ locale: 'en-GB' });
    expect((await platform.call(tenant.admin, 'getCurrentUser')).settings).toEqual({});
  });

  it.each([{ locale: 'not a locale' }, { timezone: 'Moon/Crater' }, { defaultDeploymentId: 999_999 }])(
    'cannot prefer %j, which changes nothing',
    async (wrong) => {
      const body = { theme: 'dark', ...wrong };
      expect(await platform.refusal(user, 'updateMySettings', { body })).toBe('request.invalid');
      expect((await me()).settings).toEqual({});
    },
  );

  it('loses no preference to another change at the same time', async () => {
    const themes = Array.from({ length: 5 }, (_, index) => set({ theme: `theme-${index}` }));
    await Promise.all([
      set({ locale: 'de' }),
      ...themes,
      set({ timezone: 'UTC' }),
      set({ sheets: { showAppliedFilters: true } }),
    ]);
    expect((await me()).settings).toMatchObject({
      locale: 'de',
      timezone: 'UTC',
      sheets: { showAppliedFilters: true },
    });
  });
});
