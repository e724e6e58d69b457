import 'reflect-metadata';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, walk, type Fixture } from '../../testing/deployment-fixture';

describe('policies on single resources', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    await tenant.allowPersonalKeys(true);
    userId = await tenant.newUser();
  });

  const forUser = (body: object) => platform.call(tenant.admin, 'setUserResourcePolicy', { body });
  const forGroup = (body: object) => platform.call(tenant.admin, 'setGroupResourcePolicy', { body });
  const on = (resourceId: number, resourceType = 'Deployment') => ({ resourceType, resourceId });
  const list = (query: object) => platform.call(tenant.admin, 'getResourcePolicies', { query: { ...query } });
  const grants = async () =>
    Object.fromEntries(
      (await tenant.principalOf(userId)).grants.map(({ action, deploymentIds }) => [action, deploymentIds]),
    );

  it('refuse holders that do not exist or are of another tenant, and actions of another kind of resource', async () => {
    const foreigner = await (await newTenant(platform)).newUser();
    const refusal = (operationId: 'setUserResourcePolicy' | 'setGroupResourcePolicy', body: object) =>
      platform.refusal(tenant.admin, operationId, { body });
    const read = { ...on(1), action: 'DeploymentRead' };
    expect(await refusal('setUserResourcePolicy', { ...read, userId: foreigner })).toBe('user.not_found');
    expect(await refusal('setGroupResourcePolicy', { ...read, groupId: 999_999 })).toBe('user_group.not_found');
    const wrong = [
      { ...on(1), action: 'AuditLogManage' },
      { ...on(0, 'Global'), action: 'DeploymentRead' },
    ];
    for (const body of wrong) {
      expect(await refusal('setUserResourcePolicy', { ...body, userId })).toBe('request.invalid');
    }
  });

  it('hold one action of each holder, and end without one', async () => {
    const groupId = await tenant.newGroup(userId);
    await forUser({ ...on(5), userId, action: 'DeploymentRead' });
    await forUser({ ...on(5), userId, action: 'All' });
    await forGroup({ ...on(5), groupId, action: 'SchemaRead' });
    await forUser({ ...on(5), action: 'DeploymentRead' });
    await forUser({ ...on(6), userId, action: 'DeploymentRead' });
    const rows = await walk((after) => list({ ...on(5), first: 1, after }));
    expect(rows).toEqual([
      { userId, groupId: null, action: 'All' },
      { userId: null, groupId, action: 'SchemaRead' },
      { userId: null, groupId: null, action: 'DeploymentRead' },
    ]);
    await forUser({ ...on(5), userId });
    await forUser({ ...on(5) });
    expect((await list(on(5))).items).toEqual([{ userId: null, groupId, action: 'SchemaRead' }]);
  });

  it('add to the rights from roles: for a user, for members of a group, and for everybody', async () => {
    const groupId = await tenant.newGroup(userId);
    await forUser({ ...on(0, 'Global'), userId, action: 'AIBIView' });
    await forUser({ ...on(1), userId, action: 'DeploymentRead' });
    await forGroup({ ...on(2), groupId, action: 'DeploymentRead' });
    await forUser({ ...on(3), action: 'DeploymentRead' });
    await forUser({ ...on(4, 'Workbook'), userId, action: 'WorkbookRead' });
    expect(await grants()).toEqual({ AIBIView: null, DeploymentRead: expect.arrayContaining([1, 2, 3]) });
    const { userPolicies } = await platform.call(await tenant.principalOf(userId), 'getCurrentUser');
    expect(userPolicies).toContainEqual({
      resourceType: 'Deployment',
      actions: ['DeploymentRead'],
      resources: ['1', '2', '3'],
    });
    expect(userPolicies).toContainEqual({ resourceType: 'Workbook', actions: ['WorkbookRead'], resources: ['4'] });
    const other = await tenant.newUser();
    expect((await tenant.principalOf(other)).grants).toEqual([]);
  });

  it('are not shown to another tenant, which may use the same ids', async () => {
    await forUser({ ...on(5), action: 'DeploymentRead' });
    const { admin } = await newTenant(platform);
    expect((await platform.call(admin, 'getResourcePolicies', { query: on(5) })).items).toEqual([]);
  });
});
