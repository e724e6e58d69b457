import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { startEmbed, type EmbedFixture } from '../testing/embed-fixture';
import { DEPLOYMENT, testSessions, type TestSessions } from '../testing/session-fixture';

const invalid = { status: 400, code: 'request.invalid' };
const creator = { creatorMode: true, embedTenantName: 'acme' };

describe('what a session is made of', () => {
  let platform: EmbedFixture;
  let sessions: TestSessions;
  let admin: Principal;

  beforeAll(async () => {
    platform = await startEmbed('in-process', { PLINTH_EMBED_USERS_MAX: '3' });
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    sessions = testSessions(platform);
    admin = sessions.account.admin;
    sessions.account.groups.set('Finance', 4).set('Sales', 5);
    sessions.account.attributes.push({ id: 8, name: 'region', defaultValue: null });
    sessions.account.users.set('bob', { userId: 8, generation: 0, isAdmin: false });
  });

  const nothingIsWritten = async (): Promise<void> => {
    for (const table of ['embed_tenant', 'embed_user', 'embed_group', 'embed_attribute', 'embed_session']) {
      expect([table, await sessions.count(table)]).toEqual([table, 0]);
    }
  };
  const groupsOf = async (embedTenantName: string) =>
    (await platform.call(admin, 'getGroups', { path: { embedTenantName } })).items;
  const usersOf = async (embedTenantName: string) =>
    (await platform.call(admin, 'listEmbedUsers', { path: { embedTenantName } })).items;
  const cubeCloud = async (principal: Principal) =>
    (await sessions.describe(principal)).securityContext['cubeCloud'] as Record<string, unknown>;

  it.each<[string, object]>([
    ['nobody', { externalId: null }],
    ['two at once', { internalId: 'bob' }],
    ...['userProfile', 'groups', 'groupDefinitions', 'tenantGroups', 'tenantGroupDefinitions', 'userAttributes']
      .concat('userAttributeDefinitions', 'roles', 'securityContext')
      .map((field): [string, object] => [
        `a user of the account with ${field}`,
        { externalId: null, internalId: 'bob', [field]: /Profile|Context/.test(field) ? {} : [] },
      ]),
    ['a user of the account in creator mode', { externalId: null, internalId: 'bob', creatorMode: true }],
    ['tenant groups without creator mode', { embedTenantName: 'acme', tenantGroups: [] }],
    ['tenant groups without an embed tenant', { creatorMode: true, tenantGroups: [] }],
    ['group definitions without creator mode', { embedTenantName: 'acme', tenantGroupDefinitions: [] }],
    ['attribute definitions without an embed tenant', { creatorMode: true, userAttributeDefinitions: [] }],
    ['a profile of no embed tenant', { embedTenantProfile: { displayName: 'Acme' } }],
    ['a group that is defined twice', { ...creator, tenantGroupDefinitions: [{ name: 'A' }, { name: 'a ' }] }],
    ['a built-in group that is defined', { ...creator, tenantGroupDefinitions: [{ name: 'system:x' }] }],
    [
      'an attribute that is defined twice',
      { ...creator, userAttributeDefinitions: ['string', 'number'].map((type) => ({ name: 'a', type })) },
    ],
    ['a value that is given twice', { userAttributes: [{ name: 'region' }, { name: 'region' }] }],
    [
      'a default of another type',
      { ...creator, userAttributeDefinitions: [{ name: 'a', type: 'number', defaultValue: 'x' }] },
    ],
  ])('cannot be %s: 400, and nothing is written', async (_what, request) => {
    expect(await sessions.refusal(request)).toEqual(invalid);
    await nothingIsWritten();
  });

  it.each<[string, object, object]>([
    ['an unknown deployment', { deploymentId: 99 }, { status: 404, code: 'deployment.not_found' }],
    ['an unknown branch', { branchName: 'nowhere' }, { status: 404, code: 'branch.not_found' }],
    ['a branch that nothing serves', { branchName: 'idle' }, { status: 400, code: 'branch.not_served' }],
    ['an unknown user', { externalId: null, internalId: 'eve' }, { status: 404, code: 'user.not_found' }],
    ['an unknown group', { groups: ['Finance', 'Legal'] }, { status: 400, code: 'user_group.unknown_name' }],
    [
      'an unknown attribute',
      { userAttributes: [{ name: 'shoe' }] },
      { status: 400, code: 'user_attribute.unknown_name' },
    ],
    [
      'an unknown tenant group',
      { ...creator, tenantGroups: ['Nobody'] },
      { status: 400, code: 'embed_group.unknown_name' },
    ],
    [
      'an attribute of the account in creator mode',
      { ...creator, userAttributes: [{ name: 'region', value: 'EU' }] },
      { status: 400, code: 'embed_attribute.unknown_name' },
    ],
    [
      'a value of another type than was defined a moment before',
      {
        ...creator,
        tenantGroupDefinitions: [{ name: 'Planners' }],
        userAttributeDefinitions: [{ name: 'plant', type: 'number' }],
        userAttributes: [{ name: 'plant', value: '7' }],
      },
      { status: 400, code: 'embed_attribute.wrong_type' },
    ],
  ])('cannot be %s, and nothing is written', async (_what, request, refusal) => {
    expect(await sessions.refusal({ embedTenantName: 'acme', ...request })).toEqual(refusal);
    await nothingIsWritten();
  });

  it('is for administrators alone, and for keys that reach the deployment', async () => {
    const grants = [{ action: 'All', deploymentIds: null }];
    const refused = { status: 403, code: 'access.denied' };
    expect(await sessions.refusal({}, { ...admin, isAdmin: false, grants })).toEqual(refused);
    expect(await sessions.refusal({}, { ...admin, deploymentIds: [99] })).toEqual({
      status: 403,
      code: 'access.deployment_out_of_scope',
    });
    expect(await sessions.generate({}, { ...admin, deploymentIds: [DEPLOYMENT] })).toMatch(/^[0-9a-f]{32}$/);
  });

  it('is refused to a credential of a session, be it an administrator', async () => {
    const code = 'access.credential_not_accepted';
    expect(await sessions.refusal({}, { ...admin, kind: 'embed-session' })).toEqual({ status: 403, code });
  });

  it('is nothing for creators where creator mode is off', async () => {
    sessions.account.isCreatorModeEnabled = false;
    const refused = { status: 403, code: 'embedding.creator_mode_off' };
    expect(await sessions.refusal(creator)).toEqual(refused);
    expect(await sessions.generate({ embedTenantName: 'acme' })).toBeTruthy();
  });

  it('has no room for more embed users than the account may have', async () => {
    await Promise.all(['a', 'b', 'c'].map((externalId) => sessions.generate({ externalId })));
    expect(await sessions.refusal({ externalId: 'd' })).toEqual({ status: 429, code: 'embed_user.limit_reached' });
    expect(await sessions.generate({ externalId: 'a' })).toBeTruthy();
  });

  it('is one embed user, whatever the case and space of the id, also when twenty sessions are made at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_none, index) =>
        sessions.generate({ embedTenantName: index % 2 ? 'acme' : 'ACME', externalId: index % 3 ? ' Ada ' : 'ada' }),
      ),
    );
    expect(new Set(ids).size).toBe(20);
    expect(await usersOf('acme')).toMatchObject([{ externalId: 'ada' }]);
  });

  it('keeps what a later request leaves out, and takes what it says', async () => {
    const userProfile = { displayName: 'Ada', picture: 'https://acme.test/ada.png' };
    await sessions.generate({ embedTenantName: 'acme', email: 'Ada@Acme.test', userProfile });
    await sessions.generate({ embedTenantName: 'acme', embedTenantProfile: { displayName: 'Acme Ltd' } });
    expect(await usersOf('acme')).toMatchObject([{ email: 'ada@acme.test', firstName: 'Ada' }]);
    await sessions.generate({
      embedTenantName: 'acme',
      userProfile: { displayName: 'Ada L.' },
      embedTenantProfile: {},
    });
    expect(await usersOf('acme')).toMatchObject([{ email: 'ada@acme.test', firstName: 'Ada L.' }]);
    const { items } = await platform.call(admin, 'listEmbedTenants');
    expect(items).toMatchObject([{ name: 'acme', displayName: 'Acme Ltd' }]);
  });

  it('gives groups of the account exactly, and leaves them when it says nothing', async () => {
    const given = async (request: object) => (await cubeCloud((await sessions.open(request)).principal))['groups'];
    expect(await given({ groups: ['Finance', 'Sales'] })).toEqual(['Finance', 'Sales', 'all_embed_users']);
    expect(await given({})).toEqual(['Finance', 'Sales', 'all_embed_users']);
    expect(await given({ groups: ['Sales'] })).toEqual(['Sales', 'all_embed_users']);
    expect(await given({ groups: [] })).toEqual(['all_embed_users']);
  });

  it('makes groups before it puts anybody into them, once, and clears no description', async () => {
    const define = (description?: string | null) =>
      sessions.generate({
        ...creator,
        tenantGroupDefinitions: [{ name: 'Planners', description }, { name: 'Buyers' }],
        tenantGroups: ['Planners'],
      });
    await define('Who plans');
    await Promise.all([define(), define(null), define('')]);
    expect(await groupsOf('acme')).toMatchObject([
      { name: 'Planners', description: 'Who plans', userCount: 1 },
      { name: 'Buyers', description: null, userCount: 0 },
    ]);
    await define('Those who plan');
    expect((await groupsOf('acme'))[0]).toMatchObject({ description: 'Those who plan' });
    const other = { ...creator, tenantGroupDefinitions: [{ name: 'PLANNERS' }] };
    expect(await sessions.refusal(other)).toEqual({ status: 400, code: 'embed_group.name_taken' });
  });

  it('never changes the type of an attribute, and then defines nothing else', async () => {
    const define = (type: string, name = 'plant', more: object = {}) => ({
      ...creator,
      userAttributeDefinitions: [
        { name: 'aisle', type: 'string' },
        { name, type, ...more },
      ],
    });
    await sessions.generate({ ...creator, userAttributeDefinitions: [{ name: 'plant', type: 'number' }] });
    const code = 'embed_attribute.type_changed';
    const request = { ...define('string'), tenantGroupDefinitions: [{ name: 'Planners' }] };
    expect(await sessions.refusal(request)).toEqual({ status: 400, code });
    expect(await sessions.count('embed_attribute')).toBe(1);
    expect(await groupsOf('acme')).toEqual([]);
    await Promise.all([sessions.generate(define('number')), sessions.generate(define('number'))]);
    expect(await sessions.count('embed_attribute')).toBe(2);
  });

  it('has at most 500 attributes of an embed tenant', async () => {
    const attributes = (from: number, count: number) =>
      Array.from({ length: count }, (_none, index) => ({ name: `a${from + index}`, type: 'string' }));
    await sessions.generate({ ...creator, userAttributeDefinitions: attributes(0, 500) });
    const code = 'embed_attribute.limit_reached';
    expect(await sessions.refusal({ ...creator, userAttributeDefinitions: attributes(500, 1) })).toEqual({
      status: 400,
      code,
    });
    expect(await sessions.count('embed_attribute')).toBe(500);
  });

  it('has attributes of the embed tenant before those of the account for creators, and else the other way round', async () => {
    const attributes = async (request: object) =>
      (await cubeCloud((await sessions.open({ embedTenantName: 'acme', ...request })).principal))['userAttributes'];
    expect(await attributes({ userAttributes: [{ name: 'region', value: 'EU' }] })).toEqual({ region: 'EU' });
    const own = await attributes({
      ...creator,
      userAttributeDefinitions: [
        { name: 'region', type: 'string' },
        { name: 'plant', type: 'number', defaultValue: '7' },
      ],
      userAttributes: [{ name: 'region', value: 'US' }],
    });
    expect(own).toEqual({ region: 'US', plant: 7 });
    expect(await attributes({})).toEqual({ region: 'EU', plant: 7 });
    expect(await attributes({ userAttributes: [{ name: 'region', value: null }] })).toEqual({ plant: 7 });
    expect(await attributes({ ...creator, userAttributes: [{ name: 'plant', value: null }] })).toEqual({
      region: 'US',
    });
  });

  it('takes group definitions of the account without effect, and null for nothing', async () => {
    const nothing = {
      tenantGroups: null,
      tenantGroupDefinitions: null,
      userAttributeDefinitions: null,
      settings: null,
    };
    await sessions.generate({
      ...nothing,
      groupDefinitions: [{ name: 'Legal' }],
      creatorMode: null,
      isEphemeral: true,
    });
    expect(await sessions.refusal({ groups: ['Legal'] })).toMatchObject({ status: 400 });
  });

  it('is no embed tenant for users without one, whom no list shows', async () => {
    const { principal } = await sessions.open({ creatorMode: true });
    expect(principal.embed).toMatchObject({ embedTenantName: null, isCreator: true });
    expect(await cubeCloud(principal)).toMatchObject({ embedTenantName: null, groups: ['all_embed_users'] });
    expect((await platform.call(admin, 'listEmbedTenants')).items).toEqual([]);
  });
});
