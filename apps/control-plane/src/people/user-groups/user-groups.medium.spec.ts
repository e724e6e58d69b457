import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startFixture, transports, walk, type Fixture } from '../../testing/deployment-fixture';
import { announcedEvents } from '../../testing/recorded-actions-fixture';
import { newTenantAdmin, newUser, until, viewerBeside } from '../../testing/account-fixture';

describe.each(transports)('user groups over %s', (transport) => {
  let platform: Fixture;
  let admin: Principal;
  let path: { id: number };

  beforeAll(async () => {
    platform = await startFixture(transport);
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    path = { id: (await create('Finance')).id };
  });

  const create = (name: string, more: object = {}) =>
    platform.call(admin, 'createUserGroup', { body: { name, ...more } });
  const list = (query: object = {}) => platform.call(admin, 'getUserGroups', { query: { ...query } });
  const get = (by = admin) => platform.call(by, 'getUserGroup', { path });
  const add = (...userIds: number[]) => platform.call(admin, 'addUserGroupMembers', { path, body: { userIds } });
  const remove = (...userIds: number[]) => platform.call(admin, 'removeUserGroupMembers', { path, body: { userIds } });
  const members = (query: object = {}) => platform.call(admin, 'getUserGroupMembers', { path, query: { ...query } });
  const newUsers = async (...names: string[]) => {
    const ids: number[] = [];
    for (const name of names) ids.push((await platform.call(admin, 'createUser', { body: newUser(name) })).id);
    return ids;
  };

  it.each([
    'getUserGroups',
    'createUserGroup',
    'getUserGroup',
    'updateUserGroup',
    'deleteUserGroup',
    'deleteUserGroupByShortPath',
    'getUserGroupMembers',
    'addUserGroupMembers',
    'removeUserGroupMembers',
  ] as const)('refuses %s to everybody but administrators', async (operationId) => {
    const viewer = viewerBeside(admin);
    const request = { path, body: { name: 'x', userIds: [1] } };
    expect(await platform.refusal(viewer, operationId, request)).toBe('access.denied');
  });

  it('refuses a name that another group has in other letters, new and changed', async () => {
    await create('Sales');
    expect(await platform.refusal(admin, 'createUserGroup', { body: { name: 'SALES' } })).toBe('user_group.name_taken');
    const rename = { path, body: { name: 'sales' } };
    expect(await platform.refusal(admin, 'updateUserGroup', rename)).toBe('user_group.name_taken');
    expect(await get()).toMatchObject({ name: 'Finance' });
  });

  it.each(['*', 'all_embed_users', 'System:tenant'])(
    'refuses the name %s, which means something else',
    async (name) => {
      expect(await platform.refusal(admin, 'createUserGroup', { body: { name } })).toBe('request.invalid');
    },
  );

  it('makes one group of two requests with the same name at once', async () => {
    const outcomes = await Promise.allSettled([create('Race'), create('race'), create('RACE')]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await list({ search: 'race' })).items).toHaveLength(1);
  });

  it("keeps another tenant's groups and users out of reach", async () => {
    const stranger = await newTenantAdmin(platform);
    const body = { name: 'x', userIds: [admin.userId] };
    for (const operationId of [
      'getUserGroup',
      'updateUserGroup',
      'deleteUserGroup',
      'deleteUserGroupByShortPath',
      'getUserGroupMembers',
      'addUserGroupMembers',
      'removeUserGroupMembers',
    ] as const) {
      expect(await platform.refusal(stranger, operationId, { path, body })).toBe('user_group.not_found');
    }
    const foreign = { path, body: { userIds: [stranger.userId] } };
    expect(await platform.refusal(admin, 'addUserGroupMembers', foreign)).toBe('user.not_found');
    expect((await platform.call(stranger, 'getUserGroups')).items).toEqual([]);
    expect(await get()).toMatchObject({ name: 'Finance', userCount: 0 });
  });

  it('adds only those who are missing, tells who was there, and adds nobody when one is unknown', async () => {
    const [ada = 0, grace = 0, joan = 0] = await newUsers('ada', 'grace', 'joan');
    expect(await add(ada)).toEqual({ addedMembers: [ada], unchangedMembers: [] });
    const before = (await members()).items;
    expect(await add(grace, ada, grace)).toEqual({ addedMembers: [grace], unchangedMembers: [ada] });
    const unknown = { path, body: { userIds: [joan, 999_999] } };
    expect(await platform.refusal(admin, 'addUserGroupMembers', unknown)).toBe('user.not_found');
    expect((await members()).items.map(({ id }) => id)).toEqual([grace, ada]);
    expect((await members()).items[1]).toEqual(before[0]);
    expect(await get()).toMatchObject({ userCount: 2 });
  });

  it('removes members, for whom strangers to the group are no fault, and forgets deleted users', async () => {
    const [ada = 0, grace = 0, joan = 0] = await newUsers('ada', 'grace', 'joan');
    await add(ada, grace);
    expect(await remove(ada, joan)).toBeUndefined();
    expect((await members()).items.map(({ id }) => id)).toEqual([grace]);
    await platform.call(admin, 'deleteUser', { path: { id: grace } });
    expect(await get()).toMatchObject({ userCount: 0 });
  });

  it('ends with every member once when many add the same users in different orders', async () => {
    const ids = await newUsers('a', 'b', 'c', 'd', 'e');
    const replies = await Promise.all([add(...ids), add(...[...ids].reverse()), add(...ids.slice(2), ...ids)]);
    expect(replies.flatMap(({ addedMembers }) => addedMembers).sort()).toEqual([...ids].sort());
    expect(await get()).toMatchObject({ userCount: 5 });
  });

  it('tells the gateways when what members may do has changed', async () => {
    const [ada = 0] = await newUsers('ada');
    const notices = platform.notices('control-plane.credential.changed');
    await add(ada);
    await remove(ada);
    await platform.call(admin, 'deleteUserGroup', { path });
    await until(() => notices.filter(({ tenantId }) => tenantId === admin.tenantId).length === 3);
  });

  it('is gone after a deletion under either path', async () => {
    const other = await create('Sales');
    await platform.call(admin, 'deleteUserGroup', { path });
    await platform.call(admin, 'deleteUserGroupByShortPath', { path: { id: other.id } });
    expect((await list()).items).toEqual([]);
    expect(await platform.refusal(admin, 'deleteUserGroup', { path })).toBe('user_group.not_found');
  });

  it('tells the services that know its id when it is gone', async () => {
    await platform.call(admin, 'deleteUserGroup', { path });
    expect(await announcedEvents(platform.database, admin.tenantId, 'user_group.deleted')).toEqual([
      { groupId: path.id },
    ]);
  });

  it('lists newest first with counts, by a part of the name, page by page while groups go', async () => {
    const [ada = 0] = await newUsers('ada');
    await add(ada);
    for (const name of ['North 1', 'North 2', 'North 3']) await create(name, { description: 'cold' });
    expect((await list()).items.map(({ name, userCount }) => [name, userCount])).toEqual([
      ['North 3', 0],
      ['North 2', 0],
      ['North 1', 0],
      ['Finance', 1],
    ]);
    const seen = await walk(
      (after) => list({ first: 1, search: 'NORTH', ...(after !== undefined && { after }) }),
      ([group]) => platform.call(admin, 'deleteUserGroup', { path: { id: group?.id ?? 0 } }),
    );
    expect(seen.map(({ name }) => name)).toEqual(['North 3', 'North 2', 'North 1']);
  });

  it('changes what is given and clears the description with null', async () => {
    const update = (body: object) => platform.call(admin, 'updateUserGroup', { path, body });
    expect(await update({ description: 'money' })).toMatchObject({ name: 'Finance', description: 'money' });
    expect(await update({ name: 'Money', description: null })).toMatchObject({ name: 'Money', description: null });
  });
});
