import { until } from '@plinth/testing';
import type { ApiClient, ApiReply } from './harness/api-client';
import { uniqueName } from './harness/story';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Json = Record<string, unknown>;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const CUSTOM = 'urn:cube:params:1.0:UserAttribute';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const users = '/api/scim/v2/Users';
const groups = '/api/scim/v2/Groups';

/** How long a change may take to be felt by a credential in use. */
const FELT_MS = 1_000;

let people = 0;
const newName = (): string => `holder-${(people += 1)}@acme.test`;

describe.each(onNats)('roles and facts by SCIM: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let client: ApiClient;
  let tokenId: number;

  beforeAll(async () => {
    topology = await start();
    admin = topology.admin;
    await topology.plinth('tenants', 'update', '--tenant', topology.tenant, '--personal-api-keys', 'on');
    const { id, token } = await admin.call('createScimToken', { body: { name: 'Entra' } });
    tokenId = id;
    client = admin.as(`Bearer ${token}`);
  });
  afterAll(() => topology?.stop());
  beforeEach(() => settings({ defaultRoleId: null, groupRoles: [] }));

  const settings = (body: object) => admin.call('updateScimSettings', { body });
  const builtIn = async (name: string): Promise<number> =>
    (await admin.call('getScimSettings')).roles.find((role) => role.name === name)?.id ?? 0;
  const newRole = async (): Promise<number> => {
    const policies = [{ resourceType: 'Global' as const, actions: ['AIBIView' as const], resources: ['All'] }];
    return (await admin.call('createRole', { body: { name: uniqueName('Role'), policies } })).id;
  };
  const bodyOf = ({ body }: ApiReply): Json => body as Json;
  const create = async (more: Json = {}): Promise<Json> => {
    const reply = await client.send('POST', users, { body: { schemas: [USER], userName: newName(), ...more } });
    expect(reply).toMatchObject({ status: 201 });
    return bodyOf(reply);
  };
  const createGroup = async (displayName: string, ...members: unknown[]): Promise<unknown> => {
    const body = { displayName, members: members.map((value) => ({ value })) };
    const reply = await client.send('POST', groups, { body });
    expect(reply).toMatchObject({ status: 201 });
    return bodyOf(reply)['id'];
  };
  const patch = (path: string, id: unknown, ...Operations: Json[]): Promise<ApiReply> =>
    client.send('PATCH', `${path}/${String(id)}`, { body: { schemas: [PATCH], Operations } });
  const get = async (id: unknown): Promise<Json> => bodyOf(await client.send('GET', `${users}/${String(id)}`));
  const accountOf = async ({ userName }: Json) => {
    const { items } = await admin.call('getUsers', { query: { search: String(userName) } });
    return items.find(({ username }) => username === userName);
  };
  const rolesOf = async (user: Json) => (await accountOf(user))?.defaultRoles;
  const keyOf = async ({ userName }: Json): Promise<ApiClient> => {
    const issued = await topology.plinth(
      'api-keys',
      'create',
      '--tenant',
      topology.tenant,
      '--email',
      String(userName),
    );
    return admin.as(`Bearer ${String(issued['apiKey'])}`);
  };
  const add = (...ids: unknown[]): Json => ({ op: 'add', path: 'members', value: ids.map((value) => ({ value })) });

  it('refuses Admin as the role of new users and of groups, and a group that is named twice', async () => {
    const roleId = await builtIn('Viewer');
    // The built-in roles of a tenant are made together, Admin first; no reply shows its id.
    const adminRoleId = (await builtIn('Developer')) - 1;
    const groupRoles = [{ groupName: 'Owners', roleId: adminRoleId }];
    for (const body of [{ defaultRoleId: adminRoleId }, { groupRoles }]) {
      expect(await admin.refusal('updateScimSettings', { body })).toMatchObject({
        status: 400,
        code: 'request.invalid',
        message: expect.stringContaining('Admin'),
      });
    }
    const twice = ['Sales', 'SALES'].map((groupName) => ({ groupName, roleId }));
    expect(await admin.refusal('updateScimSettings', { body: { groupRoles: twice } })).toMatchObject({ status: 400 });
    const many = Array.from({ length: 501 }, (_, index) => ({ groupName: `Group ${index}`, roleId }));
    expect(await admin.refusal('updateScimSettings', { body: { groupRoles: many } })).toMatchObject({ status: 400 });
    expect((await admin.call('getScimSettings')).groupRoles).toEqual([]);
  });

  it('refuses the settings to a SCIM token', async () => {
    expect(await client.refusal('getScimSettings')).toMatchObject({ status: 403 });
    expect(await client.refusal('updateScimSettings', { body: {} })).toMatchObject({ status: 403 });
  });

  it('gives new users the default role, and Viewer without one or once it is deleted', async () => {
    const roleId = await newRole();
    await settings({ defaultRoleId: await builtIn('Explorer') });
    expect(await rolesOf(await create())).toEqual(['Explorer']);
    await settings({ defaultRoleId: roleId });
    await admin.call('deleteRole', { path: { roleId } });
    expect(await rolesOf(await create())).toEqual(['Viewer']);
  });

  it('gives the role of a group to those who are added, is felt by keys at once, and takes nothing away', async () => {
    const groupName = uniqueName('Data Engineering');
    await settings({ groupRoles: [{ groupName: groupName.toUpperCase(), roleId: await builtIn('Developer') }] });
    const [ada, grace] = [await create(), await create()];
    const key = await keyOf(ada);
    const write = () => key.attempt('createDeployment', { body: {} as never });
    expect(await write()).toMatchObject({ status: 403 });
    const id = await createGroup(groupName);
    expect((await patch(groups, id, add(ada['id']))).status).toBe(204);
    await until('the new role to be felt', write, ({ status }) => status === 400, FELT_MS);
    await client.send('PUT', `${groups}/${String(id)}`, {
      body: { displayName: groupName, members: [{ value: grace['id'] }] },
    });
    await client.send('DELETE', `${groups}/${String(id)}`);
    for (const user of [ada, grace]) expect(await rolesOf(user)).toEqual(['Developer', 'Viewer']);
    expect(await write()).toMatchObject({ status: 400 });
  });

  it('113 records who got a role from a group, with the SCIM token as the one who gave it', async () => {
    await admin.call('updateTenantSettings', { body: { auditLogEnabled: true } });
    const [groupName, roleId, { id: userId }] = [uniqueName('Audited'), await newRole(), await create()];
    await settings({ groupRoles: [{ groupName, roleId }] });
    const groupId = Number(await createGroup(groupName, userId));
    const exported = await until(
      'the event to be recorded',
      () => admin.send('GET', '/api/v1/audit-logs/export', { query: { eventName: 'Assigned role to user' } }),
      ({ body }) => String(body).includes(`""groupId"":${groupId}`),
    );
    const line = String(exported.body)
      .split('\r\n')
      .find((each) => each.includes(`""groupId"":${groupId}`));
    expect(line).toContain(`scim-token:${tokenId}`);
    expect(line).toContain(`""roleId"":${roleId}`);
    expect(line).toContain(`""userIds"":[${String(userId)}]`);
  });

  it('52 refuses to change the groups of a user by their path, and ignores them without one', async () => {
    const { id } = await create();
    const groupId = await createGroup(uniqueName('Group'), id);
    const before = (await get(id))['groups'];
    for (const op of ['add', 'replace', 'remove']) {
      const reply = await patch(users, id, { op, path: 'groups', value: [{ value: '1' }] });
      expect(reply).toMatchObject({ status: 400, body: { scimType: 'mutability' } });
    }
    const reply = await patch(users, id, { op: 'replace', value: { groups: [], displayName: 'Ada' } });
    expect(reply).toMatchObject({ status: 200, body: { displayName: 'Ada', groups: before } });
    expect(before).toMatchObject([{ value: groupId }]);
  });

  it('60 gives a user who is active again the groups, roles and keys of before', async () => {
    const groupName = uniqueName('Restored');
    await settings({ groupRoles: [{ groupName, roleId: await builtIn('Explorer') }] });
    const user = await create();
    const groupId = await createGroup(groupName, user['id']);
    const inherited = await newRole();
    await admin.call('assignRoleToGroup', { path: { roleId: inherited, groupId: Number(groupId) } });
    const key = await keyOf(user);
    const before = await key.call('getCurrentUser');
    const { groups: groupsBefore } = await get(user['id']);
    await patch(users, user['id'], { op: 'replace', value: { active: false } });
    await until(
      'the key to be refused',
      () => key.attempt('getCurrentUser'),
      ({ status }) => status === 401,
      FELT_MS,
    );
    await patch(users, user['id'], { op: 'Replace', path: 'active', value: 'True' });
    const after = await until(
      'the key to work',
      () => key.attempt('getCurrentUser'),
      ({ status }) => status === 200,
      FELT_MS,
    );
    expect(after.body).toEqual({ ...before, updatedAt: expect.any(String) });
    expect(before.defaultRoles).toEqual(['Explorer', 'Viewer']);
    expect((await get(user['id']))['groups']).toEqual(groupsBefore);
    expect(groupsBefore).toMatchObject([{ value: groupId, display: groupName }]);
  });

  it('83 keeps roles as they are sent, also as text, and gives nobody a role by them', async () => {
    const user = await create();
    const { id } = user;
    const value = JSON.stringify({ id: '18d14569', value: 'Admin', displayName: 'Admin' });
    const reply = await patch(users, id, { op: 'Add', path: 'roles', value: [{ value }] });
    expect(reply).toMatchObject({ status: 200, body: { roles: [{ value }] } });
    const primary = 'roles[primary eq "True"].value';
    expect((await patch(users, id, { op: 'Add', path: primary, value: 'Admin' })).status).toBe(200);
    expect((await get(id))['roles']).toEqual([{ value }, { primary: true, value: 'Admin' }]);
    for (const odd of ['{"value":', { value: { id: 1 } }, [[1]], 7, [{ value: ['Admin'] }]]) {
      expect([200, 400]).toContain((await patch(users, id, { op: 'Add', path: 'roles', value: odd })).status);
    }
    const posted = [{ primary: true, type: 'WindowsAzureActiveDirectoryRole', value: 'Admin' }];
    expect((await create({ roles: posted }))['roles']).toEqual(posted);
    expect(await accountOf(user)).toMatchObject({ isAdmin: false, defaultRoles: ['Viewer'] });
  });

  it('shows facts of the tenant in lists, finds users by them, and leaves the version alone when they are said again', async () => {
    const [team, floor, regions] = [uniqueName('team'), uniqueName('floor'), uniqueName('regions')].map((name) =>
      name.replace(/\W/g, ''),
    ) as [string, string, string];
    for (const [name, type] of [
      [team, 'string'],
      [floor, 'number'],
      [regions, 'string_array'],
    ] as const) {
      await admin.call('createUserAttribute', { body: { name, type } });
    }
    const facts = { [team]: 'Sales', [floor]: 3, [regions]: ['EMEA', 'APAC'] };
    const { id, userName } = await create({
      [`${CUSTOM}:${team}`]: 'Sales',
      [CUSTOM]: { [floor.toUpperCase()]: '3', [regions]: 'EMEA, APAC' },
    });
    const filter = `userName eq "${String(userName)}"`;
    const found = await client.send('GET', users, { query: { filter } });
    const searched = await client.send('POST', `${users}/.search`, { body: { filter } });
    const byFact = await client.send('GET', users, { query: { filter: `${CUSTOM}:${regions} eq "apac"` } });
    for (const reply of [found, searched, byFact]) {
      expect(reply.body).toMatchObject({ totalResults: 1, Resources: [{ id, [CUSTOM]: facts }] });
    }
    const { meta } = await get(id);
    const same = await patch(users, id, { op: 'Replace', path: `${CUSTOM}:${floor}`, value: '3' });
    expect(same).toMatchObject({ status: 200, body: { meta } });
    const gone = await patch(
      users,
      id,
      { op: 'Remove', path: `${CUSTOM}:${floor}` },
      { op: 'Replace', path: `${CUSTOM}:${team}`, value: '' },
      { op: 'Add', path: `${CUSTOM}:${regions}`, value: ['LATAM'] },
    );
    expect(bodyOf(gone)[CUSTOM]).toEqual({ [regions]: ['LATAM'] });
    const unknown = await patch(users, id, { op: 'Add', path: `${CUSTOM}:nowhere`, value: 'x' });
    expect(unknown).toMatchObject({ status: 400, body: { detail: expect.stringContaining('nowhere') } });
  });
});
