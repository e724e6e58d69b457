import 'reflect-metadata';
import type { Policy } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { until } from '../../testing/account-fixture';

const policies: Policy[] = [
  { resourceType: 'Global', actions: ['AIBIView'], resources: ['All'] },
  { resourceType: 'Deployment', actions: ['DeploymentRead'], resources: ['5'] },
];
const granted = { AIBIView: null, DeploymentRead: [5] };

describe.each(transports)('roles of groups over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let roleId: number;
  let userId: number;
  let groupId: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    roleId = (await platform.call(tenant.admin, 'createRole', { body: { name: 'Analysts', policies } })).id;
    userId = await tenant.newUser();
    groupId = await tenant.newGroup(userId);
  });

  const assign = (path: object = {}) =>
    platform.call(tenant.admin, 'assignRoleToGroup', { path: { roleId, groupId, ...path } });
  const remove = (path: object = {}) =>
    platform.call(tenant.admin, 'removeRoleFromGroup', { path: { roleId, groupId, ...path } });
  const grantsOf = async (id: number) =>
    Object.fromEntries(
      (await tenant.principalOf(id)).grants.map(({ action, deploymentIds }) => [action, deploymentIds]),
    );

  it.each(['assignRoleToGroup', 'removeRoleFromGroup'] as const)(
    '%s is refused to everybody but administrators, for other tenants and for Admin',
    async (operationId) => {
      const path = { roleId, groupId };
      const viewer = await tenant.newUser();
      const roleOfViewer = { roleId: await tenant.builtInRole('Viewer'), userId: viewer };
      await platform.call(tenant.admin, 'assignRoleToUser', { path: roleOfViewer });
      expect(await platform.refusal(await tenant.principalOf(viewer), operationId, { path })).toBe('access.denied');
      const stranger = await newTenant(platform);
      expect(await platform.refusal(stranger.admin, operationId, { path })).toMatch(/^(role|user_group)\.not_found$/);
      const refusal = (more: object) => platform.refusal(tenant.admin, operationId, { path: { ...path, ...more } });
      expect(await refusal({ groupId: await stranger.newGroup() })).toBe('user_group.not_found');
      expect(await refusal({ groupId: 999_999 })).toBe('user_group.not_found');
      expect(await refusal({ roleId: await tenant.builtInRole('Admin') })).toBe('role.not_found');
      expect(await grantsOf(userId)).toEqual({});
    },
  );

  it('are neither unknown ones nor those of another tenant', async () => {
    const stranger = await newTenant(platform);
    for (const wrong of [999_999, await stranger.builtInRole('Viewer')]) {
      const request = { path: { roleId: wrong, groupId } };
      expect(await platform.refusal(tenant.admin, 'assignRoleToGroup', request)).toBe('role.not_found');
    }
  });

  it('may be given and taken many times, also at once', async () => {
    expect(await Promise.all([assign(), assign(), assign()])).toEqual([undefined, undefined, undefined]);
    await assign();
    expect(await grantsOf(userId)).toEqual(granted);
    await Promise.all([remove(), remove()]);
    await remove();
    expect(await grantsOf(userId)).toEqual({});
  });

  it('reach those who are members, for as long as they are', async () => {
    const later = await tenant.newUser();
    await assign();
    expect(await grantsOf(later)).toEqual({});
    const members = (operationId: 'addUserGroupMembers' | 'removeUserGroupMembers') =>
      platform.call(tenant.admin, operationId, { path: { id: groupId }, body: { userIds: [later] } });
    await members('addUserGroupMembers');
    expect(await grantsOf(later)).toEqual(granted);
    await members('removeUserGroupMembers');
    expect(await grantsOf(later)).toEqual({});
    expect(await grantsOf(userId)).toEqual(granted);
  });

  it('leave with the group, with the role, and not with what members hold themselves', async () => {
    await assign();
    await platform.call(tenant.admin, 'assignRoleToUser', { path: { roleId, userId } });
    await remove();
    expect(await grantsOf(userId)).toEqual(granted);
    await platform.call(tenant.admin, 'removeRoleFromUser', { path: { roleId, userId } });
    await assign();
    await platform.call(tenant.admin, 'deleteUserGroup', { path: { id: groupId } });
    expect(await grantsOf(userId)).toEqual({});
    groupId = await tenant.newGroup(userId);
    await assign();
    await platform.call(tenant.admin, 'deleteRole', { path: { roleId } });
    expect(await grantsOf(userId)).toEqual({});
  });

  it('can be built-in ones', async () => {
    await assign({ roleId: await tenant.builtInRole('Explorer') });
    expect(await grantsOf(userId)).toMatchObject({ AIBIExplore: null, DeploymentRead: null });
  });

  it('reach the gateways at once, as one notice for all members', async () => {
    const notices = platform.notices('control-plane.credential.changed');
    await assign();
    await remove();
    await until(() => notices.filter(({ tenantId }) => tenantId === tenant.id).length === 2);
  });
});
