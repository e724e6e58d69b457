import 'reflect-metadata';
import { managerFor, type Transaction } from '@plinth/database';
import { until } from '@plinth/testing';
import { startEmbed, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

const path = { embedTenantName: 'acme' };

describe('groups of embed tenants', () => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed('in-process', { PLINTH_EMBED_USERS_MAX: '1200' });
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    account = platform.newAccount();
  });

  const create = (body: object, embedTenantName = 'acme') =>
    platform.call(account.admin, 'createGroup', { path: { embedTenantName }, body });
  const refusedGroup = (body: object) => platform.refusal(account.admin, 'createGroup', { path, body });
  const listed = async (query: object = {}) => platform.call(account.admin, 'getGroups', { path, query });
  const get = (id: number) => platform.call(account.admin, 'getGroup', { path: { ...path, id } });
  const update = (id: number, body: object) =>
    platform.call(account.admin, 'updateGroup', { path: { ...path, id }, body });
  const remove = (id: number) => platform.call(account.admin, 'deleteGroup', { path: { ...path, id } });
  const add = (id: number, members: object[]) =>
    platform.call(account.admin, 'addGroupMembers', { path: { ...path, id }, body: { members } });
  const take = (id: number, members: object[]) =>
    platform.call(account.admin, 'removeGroupMembers', { path: { ...path, id }, body: { members } });
  const membersOf = async (id: number, query: object = {}) =>
    platform.call(account.admin, 'getGroupMembers', { path: { ...path, id }, query });
  const externalIds = async (id: number) => (await membersOf(id)).items.map(({ externalId }) => externalId);
  const provision = (externalId: string, embedTenantName = 'acme') =>
    platform.call(account.admin, 'provisionEmbedUser', { path: { embedTenantName }, body: { externalId } });

  it.each(['system:tenant:acme', 'System:x', '  system:'])('are not named %s', async (name) => {
    expect(await refusedGroup({ name })).toEqual({ status: 400, code: 'request.invalid' });
    expect((await platform.call(account.admin, 'listEmbedTenants')).items).toEqual([]);
  });

  it('have names of their own within their embed tenant', async () => {
    await create({ name: 'Planners' });
    expect(await refusedGroup({ name: ' planners ' })).toEqual({ status: 400, code: 'embed_group.name_taken' });
    expect(await create({ name: 'Planners' }, 'other')).toMatchObject({ name: 'Planners' });
  });

  it('are nothing in another embed tenant, and nothing to another account', async () => {
    const { id } = await create({ name: 'Planners' });
    await provision('ada', 'other');
    const members = [{ externalId: 'ada' }];
    const requests = [
      ['getGroup', {}],
      ['updateGroup', { description: 'x' }],
      ['deleteGroup', undefined],
      ['getGroupMembers', undefined],
      ['addGroupMembers', { members }],
      ['removeGroupMembers', { members }],
    ] as const;
    const stranger = platform.newAccount().admin;
    for (const [operationId, body] of requests) {
      for (const [caller, embedTenantName] of [
        [account.admin, 'other'],
        [account.admin, 'nowhere'],
        [stranger, 'acme'],
      ] as const) {
        const request = { path: { embedTenantName, id }, body };
        expect([operationId, await platform.refusal(caller, operationId, request)]).toEqual([
          operationId,
          { status: 404, code: 'embed_group.not_found' },
        ]);
      }
    }
    expect(await get(id)).toMatchObject({ userCount: 0 });
  });

  it('are listed newest first, without the built-in ones, which no operation reaches', async () => {
    const ids = [];
    for (const name of ['A', 'B', 'C']) ids.push((await create({ name })).id);
    const first = await listed({ first: 2 });
    expect(first.items.map(({ name }) => name)).toEqual(['C', 'B']);
    const { items } = await listed({ first: 2, after: first.pageInfo.endCursor });
    expect(items.map(({ name }) => name)).toEqual(['A']);
    const builtIn = await platform.database.transaction(account.tenantId, (tx) => builtInGroups(tx));
    expect(builtIn.map(({ name }) => name).sort()).toEqual(['all_embed_users', 'system:tenant:acme']);
    for (const { id } of builtIn) {
      const request = { path: { ...path, id } };
      expect(await platform.refusal(account.admin, 'deleteGroup', request)).toMatchObject({ status: 404 });
    }
  });

  it('change their descriptions alone', async () => {
    const { id } = await create({ name: ' Planners ', description: 'Who plans' });
    expect(await update(id, {})).toEqual({ id, name: 'Planners', description: 'Who plans', userCount: 0 });
    expect(await update(id, { description: null })).toMatchObject({ description: 'Who plans' });
    expect(await update(id, { description: 'All' })).toMatchObject({ description: 'All' });
    expect(await update(id, { description: '' })).toMatchObject({ description: null });
  });

  it('are deleted only without members, also while members come', async () => {
    const { id } = await create({ name: 'Planners' });
    await add(id, [{ externalId: 'ada' }]);
    const code = 'embed_group.has_members';
    expect(await platform.refusal(account.admin, 'deleteGroup', { path: { ...path, id } })).toEqual({
      status: 400,
      code,
    });
    await take(id, [{ externalId: 'ada' }]);
    for (let round = 0; round < 12; round += 1) {
      const raced = (await create({ name: `Round ${round}` })).id;
      const joining = ['ada', 'bob', 'eve'].map((externalId) => add(raced, [{ externalId }]));
      const [deleted, ...added] = await Promise.allSettled([remove(raced), ...joining]);
      const refused = added.flatMap((one) => (one.status === 'rejected' ? [one.reason as { code: string }] : []));
      expect(new Set(refused.map((error) => error.code)).has('service.internal')).toBe(false);
      // Whoever was told that they are a member is one.
      if (deleted.status === 'fulfilled') expect(refused).toHaveLength(added.length);
      else expect(await get(raced)).toMatchObject({ userCount: added.length });
    }
  });

  it.each([[[{}]], [[{ externalId: 'ada', embedUserId: 1 }]], [[{ externalId: null, embedUserId: null }]]])(
    'take no member of no id, or of two: %j',
    async (members) => {
      const { id } = await create({ name: 'Planners' });
      for (const operationId of ['addGroupMembers', 'removeGroupMembers'] as const) {
        const request = { path: { ...path, id }, body: { members } };
        expect(await platform.refusal(account.admin, operationId, request)).toMatchObject({ status: 400 });
      }
    },
  );

  it("take nobody when one of the ids is unknown, or another embed tenant's", async () => {
    const { id } = await create({ name: 'Planners' });
    const foreign = await provision('eve', 'other');
    const request = { path: { ...path, id }, body: { members: [{ externalId: 'ada' }, { embedUserId: foreign.id }] } };
    const code = 'embed_user.not_found';
    expect(await platform.refusal(account.admin, 'addGroupMembers', request)).toEqual({ status: 404, code });
    expect(await externalIds(id)).toEqual([]);
    const { items } = await platform.call(account.admin, 'listEmbedUsers', { path });
    expect(items).toEqual([]);
  });

  it('tell who was added and who was a member before, and provision whom they do not know', async () => {
    const { id } = await create({ name: 'Planners' });
    const bob = await provision('bob');
    const first = await add(id, [{ externalId: ' ADA ' }, { embedUserId: bob.id }, { externalId: 'Bob' }]);
    expect(first.unchangedMembers).toEqual([]);
    expect(first.addedMembers.map(({ externalId }) => externalId).sort()).toEqual(['ada', 'bob']);
    const again = await add(id, [{ externalId: 'ada' }, { externalId: 'eve' }]);
    expect(again.unchangedMembers).toMatchObject([{ externalId: 'ada' }]);
    expect(again.addedMembers).toMatchObject([{ externalId: 'eve' }]);
    expect(await get(id)).toMatchObject({ userCount: 3 });
  });

  it('list the member who was added last first, page by page', async () => {
    const { id } = await create({ name: 'Planners' });
    for (const externalId of ['ada', 'bob', 'eve']) await add(id, [{ externalId }]);
    const first = await membersOf(id, { first: 2 });
    expect(first.items.map(({ externalId }) => externalId)).toEqual(['eve', 'bob']);
    const { items } = await membersOf(id, { first: 2, after: first.pageInfo.endCursor });
    expect(items.map(({ externalId }) => externalId)).toEqual(['ada']);
  });

  it('lose members by either id, as often as one likes, and make nobody of an unknown one', async () => {
    const { id } = await create({ name: 'Planners' });
    const other = await create({ name: 'Drivers' });
    const { addedMembers } = await add(id, [{ externalId: 'ada' }, { externalId: 'bob' }, { externalId: 'eve' }]);
    await add(other.id, [{ externalId: 'ada' }]);
    const bob = addedMembers.find(({ externalId }) => externalId === 'bob');
    const gone = [{ externalId: 'Ada' }, { embedUserId: bob?.id }, { externalId: 'nobody' }, { embedUserId: 999_999 }];
    await take(id, gone);
    expect(await take(id, gone)).toBeUndefined();
    expect([await externalIds(id), await externalIds(other.id)]).toEqual([['eve'], ['ada']]);
    const { items } = await platform.call(account.admin, 'listEmbedUsers', { path });
    expect(items.map(({ externalId }) => externalId)).not.toContain('nobody');
  });

  it('tell whoever remembers sessions when somebody comes or leaves, by whichever operation, and only then', async () => {
    const { id } = await create({ name: 'Planners' });
    const ada = [{ externalId: 'ada' }];
    const desired = (tenantGroups: string[]) =>
      platform.call(account.admin, 'provisionEmbedUser', { path, body: { externalId: 'ada', tenantGroups } });
    const notices = platform.notices('embed.session.changed');
    const steps = [
      ...[() => add(id, ada), () => add(id, ada), () => take(id, ada), () => take(id, ada)],
      ...[() => desired(['Planners']), () => desired(['Planners']), () => desired([]), () => desired([])],
    ];
    for (const [index, step] of steps.entries()) {
      await step();
      const changes = Math.floor(index / 2) + 1;
      await until(
        'the notice',
        () => notices,
        ({ length }) => length >= changes,
      );
      expect(notices).toHaveLength(changes);
    }
    expect(notices[0]).toEqual({ tenantId: account.tenantId });
  });

  it('take a thousand members at once, by several at the same moment, and nobody beyond what the account may have', async () => {
    const [first, second] = [await create({ name: 'A' }), await create({ name: 'B' })];
    const members = Array.from({ length: 1_000 }, (_none, index) => ({ externalId: `user-${index}` }));
    const added = await Promise.all(
      [first, second].flatMap(({ id }) => [add(id, members), add(id, members.reverse())]),
    );
    expect(added.reduce((sum, { addedMembers }) => sum + addedMembers.length, 0)).toBe(2_000);
    expect(await get(first.id)).toMatchObject({ userCount: 1_000 });
    const more = Array.from({ length: 201 }, (_none, index) => ({ externalId: `more-${index}` }));
    const request = { path: { ...path, id: first.id }, body: { members: more } };
    const code = 'embed_user.limit_reached';
    expect(await platform.refusal(account.admin, 'addGroupMembers', request)).toEqual({ status: 429, code });
    expect(await get(first.id)).toMatchObject({ userCount: 1_000 });
  });
});

const builtInGroups = async (tx: Transaction): Promise<{ id: number; name: string }[]> =>
  managerFor(tx).query<{ id: number; name: string }[]>(`select id, name from embed_group where kind <> 'own'`);
