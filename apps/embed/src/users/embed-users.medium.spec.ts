import 'reflect-metadata';
import { startEmbed, transports, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

const path = { embedTenantName: 'acme' };

describe.each(transports)('embed users, by %s', (transport) => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed(transport, { PLINTH_EMBED_USERS_MAX: '25' });
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    account = platform.newAccount();
    account.groups.set('Finance', 4).set('Sales', 5);
  });

  const provision = (body: object) => platform.call(account.admin, 'provisionEmbedUser', { path, body });
  const provisionAll = (users: object[]) =>
    platform.call(account.admin, 'provisionEmbedUsers', { path, body: { users } });
  const refusal = (body: object) => platform.refusal(account.admin, 'provisionEmbedUser', { path, body });
  const list = (query: object = {}) => platform.call(account.admin, 'listEmbedUsers', { path, query });
  const externalIds = async (query: object = {}) => (await list(query)).items.map(({ externalId }) => externalId);
  const newGroup = (name: string) => platform.call(account.admin, 'createGroup', { path, body: { name } });
  const groupNames = async (externalId: string) => {
    const body = { ...path, embedTenantName: 'acme', externalId, provision: false };
    const system = { ...account.admin, kind: 'system' as const };
    const { groups, securityContext } = await platform.call(system, 'resolveEmbedSubject', { body });
    const all = (securityContext['cubeCloud'] as { groups: string[] }).groups;
    return { groups, tenantGroups: all.filter((name) => name.includes(':group:')) };
  };

  it('are left as they are, and nothing is made, when a group is unknown', async () => {
    const unknown = { externalId: 'ada', email: 'ada@acme.test' };
    expect(await refusal({ ...unknown, groups: ['Finance', 'Nobody'] })).toEqual({
      status: 400,
      code: 'user_group.unknown_name',
    });
    const code = 'embed_group.unknown_name';
    expect(await refusal({ ...unknown, tenantGroups: ['Planners'] })).toEqual({ status: 400, code });
    expect((await platform.call(account.admin, 'listEmbedTenants')).items).toEqual([]);
    await provision({ externalId: 'ada' });
    await refusal({ ...unknown, tenantGroups: ['Planners'] });
    expect(await list()).toMatchObject({ items: [{ email: 'ada@cubecloud.dev' }] });
  });

  it("cannot be in another embed tenant's group, nor in a built-in one", async () => {
    await platform.call(account.admin, 'createGroup', {
      path: { embedTenantName: 'other' },
      body: { name: 'Planners' },
    });
    for (const name of ['Planners', 'system:tenant:acme', 'all_embed_users']) {
      expect(await refusal({ externalId: 'ada', tenantGroups: [name] })).toMatchObject({ status: 400 });
    }
  });

  it('are one when twenty provision them at the same moment', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_none, index) =>
        provision({ externalId: index % 2 ? 'Ada' : ' ada ', groups: [index % 3 ? 'Finance' : 'Sales'] }),
      ),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    expect(await externalIds()).toEqual(['ada']);
    expect((await groupNames('ada')).groups).toHaveLength(1);
  });

  it('are no more than the account may have, however many come at once; those who are there can still change', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_none, index) =>
        platform.call(account.admin, 'provisionEmbedUser', {
          path: { embedTenantName: index % 2 ? 'acme' : 'other' },
          body: { externalId: `user-${index}` },
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(new Set(refused.map(({ code, status }) => `${status} ${code}`))).toEqual(
      new Set(['429 embed_user.limit_reached']),
    );
    const [known] = await externalIds();
    expect(await provision({ externalId: known, email: 'new@acme.test' })).toMatchObject({ email: 'new@acme.test' });
  });

  it('have what was last said of them, field by field', async () => {
    for (const name of ['Planners', 'Drivers']) await newGroup(name);
    const picture = 'https://acme.test/ada.png';
    const whole = { email: 'Ada@Acme.test', userProfile: { displayName: 'Ada', picture } };
    const made = await provision({ externalId: ' Ada', ...whole, groups: ['Finance'], tenantGroups: ['Planners'] });
    expect(made).toEqual({
      id: made.id,
      username: 'ada',
      email: 'ada@acme.test',
      externalId: 'ada',
      firstName: 'Ada',
      createdAt: expect.any(String),
      lastLogin: null,
    });
    const both = { groups: ['Finance'], tenantGroups: ['system:tenant:acme:group:Planners'] };
    expect(await provision({ externalId: 'ada' })).toEqual(made);
    const nothing = { email: null, groups: null, tenantGroups: null, userProfile: { displayName: null } };
    expect(await provision({ externalId: 'ADA', ...nothing })).toEqual(made);
    expect(await groupNames('ada')).toEqual(both);
    expect(await provision({ externalId: 'ada', userProfile: { displayName: 'A. L.' }, groups: [] })).toEqual({
      ...made,
      firstName: 'A. L.',
    });
    expect(await groupNames('ada')).toEqual({ ...both, groups: [] });
    await provision({ externalId: 'ada', groups: ['Sales', 'Finance'], tenantGroups: ['Drivers'] });
    expect(await groupNames('ada')).toEqual({
      groups: expect.arrayContaining(['Sales', 'Finance']),
      tenantGroups: ['system:tenant:acme:group:Drivers'],
    });
    await provision({ externalId: 'ada', tenantGroups: [] });
    expect(await groupNames('ada')).toMatchObject({ tenantGroups: [] });
  });

  it('are others in another embed tenant', async () => {
    const { id } = await provision({ externalId: 'ada' });
    const request = { path: { embedTenantName: 'other' }, body: { externalId: 'ada' } };
    expect((await platform.call(account.admin, 'provisionEmbedUser', request)).id).not.toBe(id);
    expect(await externalIds()).toEqual(['ada']);
  });

  it('are provisioned in the order of a batch, each for itself, the last entry for one of them deciding', async () => {
    const { succeeded, failed } = await provisionAll([
      { externalId: 'bob', userProfile: { displayName: 'Bob' } },
      { externalId: ' ADA ', groups: ['Nobody'] },
      { externalId: 'eve', tenantGroups: ['Planners'] },
      { externalId: 'Ada' },
      { externalId: 'BOB', userProfile: { displayName: 'Robert' } },
    ]);
    expect(succeeded.map(({ externalId, firstName }) => [externalId, firstName])).toEqual([
      ['bob', 'Bob'],
      ['ada', null],
      ['bob', 'Robert'],
    ]);
    expect(failed).toEqual([
      { externalId: 'ada', error: { status: 400, message: expect.stringContaining('Nobody') } },
      { externalId: 'eve', error: { status: 400, message: expect.stringContaining('Planners') } },
    ]);
    expect(await externalIds()).toEqual(['ada', 'bob']);
  });

  it('are told one by one where a batch reaches the limit', async () => {
    const users = Array.from({ length: 27 }, (_none, index) => ({ externalId: `user-${index}` }));
    const { succeeded, failed } = await provisionAll(users);
    expect(succeeded).toHaveLength(25);
    expect(failed.map(({ externalId, error }) => [externalId, error.status])).toEqual([
      ['user-25', 429],
      ['user-26', 429],
    ]);
  });

  it('are listed by address, page by page, and found by parts of address and id', async () => {
    await provisionAll([
      { externalId: 'zoe', email: 'a@acme.test' },
      { externalId: 'ada' },
      { externalId: 'bob', email: 'a@acme.test' },
    ]);
    const first = await list({ first: 2 });
    expect(first.items.map(({ externalId }) => externalId)).toEqual(['zoe', 'bob']);
    expect(await externalIds({ first: 2, after: first.pageInfo.endCursor })).toEqual(['ada']);
    expect(await externalIds({ search: 'ACME' })).toEqual(['zoe', 'bob']);
    expect(await externalIds({ search: ' ZOE ' })).toEqual(['zoe']);
    expect(await externalIds({ search: '%' })).toEqual([]);
  });
});
