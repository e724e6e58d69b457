import 'reflect-metadata';
import type { BodyOf } from '@plinth/contract';
import { GROUP, USER } from '@plinth/scim-protocol';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { recordedActions } from '../../testing/recorded-actions-fixture';
import { startFixture, transports, type Fixture } from '../../testing/deployment-fixture';
import { until } from '../../testing/account-fixture';

type MemberChange = BodyOf<'patchProvisionedGroup'>['members'][number];

const assigned = 'Assigned role to user';

describe.each(transports)('roles from provisioning over %s', (transport) => {
  let platform: Fixture;
  let tenant: TestTenant;
  let roleId: number;

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    tenant = await newTenant(platform);
    roleId = await newRole('Engineers of data');
    await settings({ groupRoles: [{ groupName: 'Data Engineering', roleId }] });
  });

  const newRole = async (name: string): Promise<number> =>
    (await platform.call(tenant.admin, 'createRole', { body: { name, policies: [] } })).id;
  const settings = (body: object) => platform.call(tenant.admin, 'updateScimSettings', { body });
  const newUser = async (userName: string, more: object = {}): Promise<number> => {
    const resource = { [USER]: { userName, ...more } };
    return (await platform.call(tenant.admin, 'createProvisionedUser', { body: { userName, resource } })).id;
  };
  const newGroup = async (displayName: string, ...members: number[]): Promise<number> => {
    const body = { displayName, memberIds: members.map(String) };
    return (await platform.call(tenant.admin, 'createProvisionedGroup', { body })).id;
  };
  const patch = (id: number, members: MemberChange[], displayName?: string) => {
    const rename = { op: 'replace', path: { schema: GROUP, name: 'displayName' }, value: displayName };
    const changes = displayName === undefined ? [] : [rename];
    return platform.call(tenant.admin, 'patchProvisionedGroup', { body: { id, changes, members } });
  };
  const add = (...ids: number[]): MemberChange => ({ op: 'add', ids: ids.map(String) });
  const rolesOf = async (userId: number): Promise<string[]> => {
    const rows = await platform.database.read<{ name: string }>(
      tenant.id,
      {
        name: 'roles-of',
        text: 'select r.name from role_assignment a join role r on r.id = a.role_id where a.user_id = $1 order by r.name',
      },
      [userId],
    );
    return rows.map(({ name }) => name);
  };
  const deleteRole = (id: number) => platform.call(tenant.admin, 'deleteRole', { path: { roleId: id } });

  describe('for new users', () => {
    it('are Viewer alone, whatever the body says', async () => {
      expect(await rolesOf(await newUser('ada@roles.test', { roles: [{ value: 'Admin' }] }))).toEqual(['Viewer']);
    });

    it('are the default role, on creation alone, and Viewer again when that role is deleted', async () => {
      const before = await newUser('early@roles.test');
      const custom = await newRole('Newcomers');
      await settings({ defaultRoleId: custom });
      const ada = await newUser('ada@roles.test');
      expect([await rolesOf(before), await rolesOf(ada)]).toEqual([['Viewer'], ['Newcomers']]);
      await settings({ defaultRoleId: await tenant.builtInRole('Developer') });
      const body = { id: ada, userName: 'ada@roles.test', resource: { [USER]: { userName: 'ada@roles.test' } } };
      await platform.call(tenant.admin, 'replaceProvisionedUser', { body });
      expect(await rolesOf(ada)).toEqual(['Newcomers']);
      await settings({ defaultRoleId: custom });
      await deleteRole(custom);
      expect(await rolesOf(await newUser('late@roles.test'))).toEqual(['Viewer']);
    });
  });

  describe('of groups', () => {
    it('go to members of a group that has the name in whatever case, when it is made, patched and replaced', async () => {
      const [ada, grace, joan] = [await newUser('ada'), await newUser('grace'), await newUser('joan')];
      const id = await newGroup('DATA engineering', ada);
      await patch(id, [add(grace)]);
      const body = { id, displayName: 'Data Engineering', memberIds: [ada, grace, joan].map(String) };
      await platform.call(tenant.admin, 'replaceProvisionedGroup', { body });
      for (const user of [ada, grace, joan]) expect(await rolesOf(user)).toEqual(['Engineers of data', 'Viewer']);
    });

    it('go to nobody else: neither to other groups, nor to those who were members before', async () => {
      const [ada, grace, joan] = [await newUser('ada'), await newUser('grace'), await newUser('joan')];
      await newGroup('Data Engineering 2', grace);
      const other = await newGroup('Finance', ada);
      await settings({ groupRoles: [{ groupName: 'finance', roleId }] });
      await patch(other, [add(ada, joan)]);
      expect([await rolesOf(ada), await rolesOf(grace)]).toEqual([['Viewer'], ['Viewer']]);
      expect(await rolesOf(joan)).toEqual(['Engineers of data', 'Viewer']);
    });

    it('go by the name that a group has afterwards, and a new name alone gives nothing', async () => {
      const [ada, grace, joan] = [await newUser('ada'), await newUser('grace'), await newUser('joan')];
      const id = await newGroup('Platform', ada);
      await patch(id, [], 'Data Engineering');
      await patch(id, [add(grace)], 'data engineering');
      await patch(id, [add(joan)], 'Platform');
      expect([await rolesOf(ada), await rolesOf(joan)]).toEqual([['Viewer'], ['Viewer']]);
      expect(await rolesOf(grace)).toEqual(['Engineers of data', 'Viewer']);
    });

    it('stay when the member leaves, when the group goes, and when the entry does', async () => {
      const [ada, grace, joan] = [await newUser('ada'), await newUser('grace'), await newUser('joan')];
      const id = await newGroup('Data Engineering', ada, grace, joan);
      await patch(id, [{ op: 'remove', ids: [String(ada)] }]);
      await patch(id, [{ op: 'replace', ids: [] }]);
      await platform.call(tenant.admin, 'deleteProvisionedGroup', { body: { id } });
      await settings({ groupRoles: [] });
      for (const user of [ada, grace, joan]) expect(await rolesOf(user)).toEqual(['Engineers of data', 'Viewer']);
    });

    it('do not come back by a repeated push once an administrator has taken them', async () => {
      const ada = await newUser('ada');
      const id = await newGroup('Data Engineering', ada);
      await platform.call(tenant.admin, 'removeRoleFromUser', { path: { roleId, userId: ada } });
      await patch(id, [add(ada)]);
      await patch(id, [{ op: 'replace', ids: [String(ada)] }]);
      expect(await rolesOf(ada)).toEqual(['Viewer']);
    });

    it('go to nobody when one of those named is unknown', async () => {
      const ada = await newUser('ada');
      const id = await newGroup('Data Engineering');
      const body = { id, changes: [], members: [add(ada), add(999_999)] };
      expect(await platform.refusal(tenant.admin, 'patchProvisionedGroup', { body })).toBe('scim.invalid_value');
      expect(await rolesOf(ada)).toEqual(['Viewer']);
      expect(await recordedActions(platform.database, tenant.id, assigned)).toEqual([]);
    });

    it('are given or not, never half, while their role is deleted', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 5; index += 1) ids.push(await newUser(`user-${index}`));
      const id = await newGroup('Data Engineering');
      await Promise.all([...ids.map((user) => patch(id, [add(user)])), deleteRole(roleId)]);
      for (const user of ids) expect(await rolesOf(user)).toEqual(['Viewer']);
      expect((await platform.call(tenant.admin, 'getUserGroup', { path: { id } })).userCount).toBe(5);
    });

    it('of 2,000 members are one notice to the gateways and one bounded event', async () => {
      const rows = await platform.database.readAsSystem<{ id: number }>(
        {
          name: 'many-users',
          text: `insert into user_account (tenant_id, email, username)
                 select $1, 'user-' || n, 'user-' || n from generate_series(1, 2000) n returning id`,
        },
        [tenant.id],
      );
      const ids = rows.map((row) => row.id).sort((left, right) => left - right);
      const id = await newGroup('Data Engineering');
      const notices = platform.notices('control-plane.credential.changed');
      await patch(id, [add(...ids)]);
      await patch(id, [add(...ids)]);
      await until(() => notices.filter(({ tenantId }) => tenantId === tenant.id).length === 2);
      expect(await rolesOf(ids.at(-1) ?? 0)).toEqual(['Engineers of data']);
      const events = await recordedActions(platform.database, tenant.id, assigned);
      const userIds = ids.slice(0, 1_000);
      expect(events).toMatchObject([{ attributes: { roleId, groupId: id, userCount: 2_000, userIds } }]);
    });
  });
});
