import 'reflect-metadata';
import { managerFor } from '@plinth/database';
import { USER } from '@plinth/scim-protocol';
import { deadlineMs, until } from '@plinth/testing';
import { Client } from 'pg';
import { newTenant, type TestTenant } from '../../testing/access-fixture';
import { startFixture, type Fixture } from '../../testing/deployment-fixture';

const size = 3_000;
const window = { offset: 0, limit: 100 };

/** A user for each number, and a group of those up to `$2`. */
const crowd = `
  with users as (
    insert into user_account (tenant_id, email, username)
    select $1, 'person' || n, 'person' || n from generate_series(1, $2::int + 1) n returning id, username
  ), large as (
    insert into user_group (tenant_id, name) values ($1, 'Large') returning id
  )
  insert into user_group_member (tenant_id, group_id, user_id)
  select $1, large.id, users.id from users cross join large where users.username <> 'person' || $2::int + 1
  order by users.id`;

describe('members of a large group', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let [large, small, stranger] = [0, 0, 0];

  beforeAll(async () => {
    platform = await startFixture('in-process');
    tenant = await newTenant(platform);
    await query(crowd, [tenant.id, size]);
    large = await idOf(`user_group where name = 'Large'`);
    stranger = await idOf(`user_account where username = 'person${size + 1}'`);
    small = await tenant.newGroup(stranger);
  });
  afterAll(() => platform?.stop());
  afterEach(() => jest.restoreAllMocks());

  const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    platform.database.asSystem(async (tx) => managerFor(tx).query(text, values) as Promise<Row[]>);
  const idOf = async (source: string): Promise<number> => {
    const [row] = await query<{ id: number }>(`select id from ${source} and tenant_id = ${tenant.id}`);
    return row?.id ?? 0;
  };
  const members = async (groupIds: number[], after: number, limit: number) =>
    (await platform.call(tenant.admin, 'listProvisionedMembers', { body: { groupIds, after, limit } })).items;
  const patch = (op: 'add' | 'remove') => {
    const body = { id: large, changes: [], members: [{ op, ids: [String(stranger)] }] };
    return platform.call(tenant.admin, 'patchProvisionedGroup', { body });
  };
  /** Rows of memberships that PostgreSQL has read, inserted and deleted, as far as its processes have told. */
  const counted = async (): Promise<{ read: number; written: number }> => {
    const [row] = await query<{ read: number; written: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read, (n_tup_ins + n_tup_del)::int as written
       from pg_stat_user_tables where relname = 'user_group_member' and schemaname = current_schema()`,
    );
    return row ?? { read: 0, written: 0 };
  };
  const countedAfter = (written: number): Promise<{ read: number; written: number }> =>
    until('the counters', counted, (now) => now.written >= written, 60_000);

  it(
    '99 are not read when one comes or goes',
    async () => {
      const before = await countedAfter(size + 1);
      expect(before.written).toBe(size + 1);
      await patch('add');
      await patch('remove');
      const after = await countedAfter(before.written + 2);
      expect(after.written).toBe(before.written + 2);
      expect(after.read - before.read).toBeLessThan(10);
    },
    deadlineMs(150_000),
  );

  it('85, 100 are not asked for when groups are read and listed', async () => {
    const sent = jest.spyOn(Client.prototype, 'query');
    await platform.call(tenant.admin, 'getProvisionedGroup', { body: { id: large } });
    const { items } = await platform.call(tenant.admin, 'findProvisionedGroups', { body: window });
    expect(items.map(({ id }) => id)).toEqual([large, small]);
    const statements = JSON.stringify(sent.mock.calls.map(([statement]) => statement as unknown));
    expect(statements).toContain('user_group');
    expect(statements).not.toContain('user_group_member');
  });

  it('100 come in pages, each once and in the order of the groups that were asked for', async () => {
    const found: { id: number; groupId: number }[] = [];
    let rest = [small, large];
    for (let after = 0; ;) {
      const page = await members(rest, after, 700);
      found.push(...page);
      const last = page.at(-1);
      if (page.length < 700 || !last) break;
      rest = rest.slice(rest.indexOf(last.groupId));
      after = last.membershipId;
    }
    expect(found[0]).toMatchObject({ groupId: small, id: stranger, display: `person${size + 1}` });
    const others = found.slice(1);
    expect(new Set(others.map(({ groupId }) => groupId))).toEqual(new Set([large]));
    expect(new Set(others.map(({ id }) => id)).size).toBe(size);
    expect(others).toHaveLength(size);
  });

  it('107 are nobody for another tenant', async () => {
    const other = await newTenant(platform);
    const body = { groupIds: [large, small], after: 0, limit: 10 };
    expect(await platform.call(other.admin, 'listProvisionedMembers', { body })).toEqual({ items: [] });
  });
});

describe('versions of users and groups', () => {
  let platform: Fixture;
  let tenant: TestTenant;
  let [user, group] = [0, 0];

  beforeAll(async () => {
    platform = await startFixture('in-process');
    tenant = await newTenant(platform);
  });
  afterAll(() => platform?.stop());
  beforeEach(async () => {
    user = await newUser();
    const body = { displayName: `Group of ${user}`, memberIds: [String(user)] };
    group = (await platform.call(tenant.admin, 'createProvisionedGroup', { body })).id;
  });

  let people = 0;
  const newUser = async (): Promise<number> => {
    const userName = `person-${(people += 1)}`;
    const body = { userName, resource: { [USER]: { userName } } };
    return (await platform.call(tenant.admin, 'createProvisionedUser', { body })).id;
  };
  const versions = async (): Promise<{ user: string; group: string }> => ({
    user: (await platform.call(tenant.admin, 'getProvisionedUser', { body: { id: user } })).version,
    group: (await platform.call(tenant.admin, 'getProvisionedGroup', { body: { id: group } })).version,
  });
  const patchGroup = (more: object) =>
    platform.call(tenant.admin, 'patchProvisionedGroup', { body: { id: group, changes: [], members: [], ...more } });
  const member = (op: 'add' | 'remove', id: number) => ({ op, ids: [String(id)] });
  const setName = (schema: string, name: string, value: string) => [{ op: 'replace', path: { schema, name }, value }];
  const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';

  it('124 refuse a change that was meant for the groups of before', async () => {
    const { user: version } = await versions();
    await patchGroup({ members: [member('remove', user)] });
    const body = { id: user, version, changes: setName(USER, 'title', 'Boss') };
    for (const operationId of ['patchProvisionedUser', 'deleteProvisionedUser'] as const) {
      expect(await platform.refusal(tenant.admin, operationId, { body })).toBe('scim.version_conflict');
    }
    const again = { ...body, version: (await versions()).user };
    expect(await platform.call(tenant.admin, 'patchProvisionedUser', { body: again })).toMatchObject({ id: user });
  });

  it.each<[string, () => Promise<unknown>, ('user' | 'group')[]]>([
    ['nothing happens', async () => undefined, []],
    ['somebody else joins', async () => patchGroup({ members: [member('add', await newUser())] }), ['group']],
    ['the user leaves by SCIM', () => patchGroup({ members: [member('remove', user)] }), ['user', 'group']],
    [
      'an administrator removes the user',
      () => platform.call(tenant.admin, 'removeUserGroupMembers', { path: { id: group }, body: { userIds: [user] } }),
      ['user', 'group'],
    ],
    [
      'an administrator removes who is no member',
      () => platform.call(tenant.admin, 'removeUserGroupMembers', { path: { id: group }, body: { userIds: [9e9] } }),
      [],
    ],
    [
      'the user joins another group',
      async () => {
        const other = await tenant.newGroup();
        await platform.call(tenant.admin, 'addUserGroupMembers', { path: { id: other }, body: { userIds: [user] } });
      },
      ['user'],
    ],
    [
      'the group gets another name',
      () => patchGroup({ changes: setName(GROUP, 'displayName', `Renamed ${group}`) }),
      ['user', 'group'],
    ],
    [
      'the user gets another name',
      () => {
        const body = { id: user, changes: setName(USER, 'userName', `renamed-${user}`) };
        return platform.call(tenant.admin, 'patchProvisionedUser', { body });
      },
      ['user', 'group'],
    ],
  ])('124 when %s', async (_what, change, moved) => {
    const before = await versions();
    await change();
    const after = await versions();
    expect((['user', 'group'] as const).filter((each) => before[each] !== after[each])).toEqual(moved);
  });

  it.each<[string, (id: number) => Promise<unknown>]>([
    ['the identity provider', (id) => platform.call(tenant.admin, 'deleteProvisionedUser', { body: { id } })],
    ['an administrator', (id) => platform.call(tenant.admin, 'deleteUser', { path: { id } })],
    [
      'an administrator with others',
      (id) => platform.call(tenant.admin, 'bulkUserAction', { body: { action: 'DELETE', userIds: [id] } }),
    ],
  ])('124 of a group when a member is deleted by %s', async (_who, remove) => {
    const gone = await newUser();
    await patchGroup({ members: [member('add', gone)] });
    const before = await versions();
    await remove(gone);
    const after = await versions();
    expect([after.user, after.group === before.group]).toEqual([before.user, false]);
  });

  it('124 of a user when a group is deleted', async () => {
    const get = () => platform.call(tenant.admin, 'getProvisionedUser', { body: { id: user } });
    const before = await get();
    await platform.call(tenant.admin, 'deleteProvisionedGroup', { body: { id: group } });
    expect((await get()).version).not.toBe(before.version);
  });
});
