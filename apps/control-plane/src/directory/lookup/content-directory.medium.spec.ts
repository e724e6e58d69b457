import 'reflect-metadata';
import { systemPrincipal } from '@plinth/auth';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { newDeployment, startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('what the control plane tells of content', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let userId: number;
  let deploymentId: number;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    userId = await tenant.newUser();
    deploymentId = (await platform.call(tenant.admin, 'createDeployment', { body: newDeployment('Sales') })).id;
  });

  const system = () => systemPrincipal(tenant.admin.tenantId);
  const rights = async (id = userId) =>
    (await platform.call(system(), 'describeContentRights', { body: { deploymentId, userId: id } })).policies;
  const give = (resourceType: string, resourceId: number, action: string, holder: object = { userId }) =>
    platform.call(tenant.admin, 'groupId' in holder ? 'setGroupResourcePolicy' : 'setUserResourcePolicy', {
      body: { resourceType, resourceId, action, ...holder },
    });

  it('is for the platform alone', async () => {
    for (const operationId of ['describeContentRights', 'describePeople', 'describeMailRecipients'] as const) {
      const body = { deploymentId, userId, userIds: [userId], emails: [] };
      expect(await platform.refusal(tenant.admin, operationId, { body })).toBe('access.denied');
    }
  });

  it("knows no deployment and no user of another tenant's", async () => {
    const stranger = systemPrincipal((await newTenant(platform)).admin.tenantId);
    const body = { deploymentId, userId, userIds: [userId] };
    expect(await platform.refusal(stranger, 'describeContentRights', { body })).toBe('deployment.not_found');
    expect(await platform.call(stranger, 'describePeople', { body: { userIds: [userId] } })).toEqual({ people: [] });
    const elsewhere = { deploymentId: 999_999, userId };
    expect(await platform.refusal(system(), 'describeContentRights', { body: elsewhere })).toBe('deployment.not_found');
  });

  it('holds nothing that is not about content, and nothing of a level that the kind does not have', async () => {
    await give('Deployment', deploymentId, 'DeploymentRead');
    const policies = [{ resourceType: 'Report', actions: ['WorkbookManage'], resources: ['7'] }];
    await platform.call(tenant.admin, 'createRole', { body: { name: 'Odd', policies } }).catch(() => undefined);
    expect(await rights()).toEqual([]);
    expect(await rights(999_999)).toEqual([]);
  });

  it("holds the levels of a user's own policies, their groups', and everybody's, as of now", async () => {
    const groupId = await tenant.newGroup(userId);
    await give('Folder', 5, 'FolderEdit');
    await give('Workbook', 6, 'WorkbookManage', { groupId });
    await give('Report', 7, 'ReportRead', {});
    const held = [
      { resourceType: 'Folder', resourceId: 5, level: 'edit' },
      { resourceType: 'Workbook', resourceId: 6, level: 'manage' },
      { resourceType: 'Report', resourceId: 7, level: 'read' },
    ];
    expect(await rights()).toEqual(expect.arrayContaining(held));
    expect(await rights()).toHaveLength(3);
    expect(await rights(await tenant.newUser())).toEqual([held[2]]);
    await platform.call(tenant.admin, 'setUserResourcePolicy', {
      body: { resourceType: 'Folder', resourceId: 5, userId },
    });
    expect(await rights()).toHaveLength(2);
  });

  it('names all things of a kind by no id', async () => {
    const policies = [{ resourceType: 'Workbook', actions: ['WorkbookRead', 'WorkbookEdit'], resources: ['All'] }];
    const { id: roleId } = await platform.call(tenant.admin, 'createRole', { body: { name: 'Editors', policies } });
    await platform.call(tenant.admin, 'assignRoleToUser', { path: { roleId, userId } });
    expect(await rights()).toEqual([{ resourceType: 'Workbook', resourceId: null, level: 'edit' }]);
  });

  it("holds what a user's own policies, their groups' and their roles give on agents, and nothing of other kinds", async () => {
    const agents = async (id = userId) =>
      (await platform.call(system(), 'describeAgentRights', { body: { userId: id } })).policies;
    await give('Workbook', 5, 'AgentManage');
    expect(await agents()).toEqual([]);
    const groupId = await tenant.newGroup(userId);
    await give('Agent', 6, 'AgentRead');
    await give('Agent', 7, 'AgentManage', { groupId });
    const policies = [{ resourceType: 'Agent', actions: ['AgentRead'], resources: ['All'] }];
    const { id: roleId } = await platform.call(tenant.admin, 'createRole', { body: { name: 'Askers', policies } });
    await platform.call(tenant.admin, 'assignRoleToUser', { path: { roleId, userId } });
    const held = [
      { agentId: 6, level: 'read' },
      { agentId: 7, level: 'manage' },
      { agentId: null, level: 'read' },
    ];
    expect(await agents()).toEqual(expect.arrayContaining(held));
    expect(await agents()).toHaveLength(3);
    expect(await agents(await tenant.newUser())).toEqual([]);
    const stranger = systemPrincipal((await newTenant(platform)).admin.tenantId);
    const body = { userId };
    expect(await platform.call(stranger, 'describeAgentRights', { body })).toEqual({ policies: [] });
    expect(await platform.refusal(tenant.admin, 'describeAgentRights', { body })).toBe('access.denied');
  });

  it('describes users by their ids, and leaves out those who are gone', async () => {
    const { people } = await platform.call(system(), 'describePeople', { body: { userIds: [userId, 999_999] } });
    expect(people).toEqual([expect.objectContaining({ id: userId, email: expect.stringContaining('@') })]);
    expect(Object.keys(people[0] ?? {}).sort()).toEqual(['email', 'firstName', 'id', 'picture']);
    await platform.call(tenant.admin, 'deleteUser', { path: { id: userId } });
    expect(await platform.call(system(), 'describePeople', { body: { userIds: [userId] } })).toEqual({ people: [] });
  });

  it('names those who can get mail, by id or by address in any case, each once', async () => {
    const otherId = await tenant.newUser();
    const everybody = await recipients({ userIds: [userId, otherId] });
    const [user, other] = everybody.map(({ email }) => email ?? '');
    expect(await recipients({ userIds: [userId], emails: [` ${user?.toUpperCase()} `, other ?? ''] })).toEqual(
      everybody,
    );
    expect(await recipients({ emails: ['nobody@acme.test'] })).toEqual([]);
  });

  it("names nobody who is deactivated, gone or another tenant's for mail", async () => {
    const [user] = await recipients({ userIds: [userId] });
    const stranger = systemPrincipal((await newTenant(platform)).admin.tenantId);
    expect(await recipients({ userIds: [userId], emails: [user?.email ?? ''] }, stranger)).toEqual([]);
    await platform.call(tenant.admin, 'updateUser', { path: { id: userId }, body: { isDeactivated: true } });
    expect(await recipients({ userIds: [userId], emails: [user?.email ?? ''] })).toEqual([]);
  });

  const recipients = async (wanted: { userIds?: number[]; emails?: string[] }, who = system()) =>
    (await platform.call(who, 'describeMailRecipients', { body: { userIds: [], emails: [], ...wanted } })).users;
});
