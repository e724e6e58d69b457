import 'reflect-metadata';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { startFixture, walk, type Fixture } from '../../testing/deployment-fixture';
import { hashOf } from '../../credentials/api-keys/api-key-secret';
import { recordedActions } from '../../testing/recorded-actions-fixture';
import { newTenantAdmin, newUser, principalOf, until } from '../../testing/account-fixture';

describe('accounts', () => {
  let platform: Fixture;
  let admin: Principal;
  let ownId: number;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());
  beforeEach(async () => {
    admin = await newTenantAdmin(platform);
    ownId = admin.userId ?? 0;
  });

  const create = (name: string, more: object = {}) => platform.call(admin, 'createUser', { body: newUser(name, more) });
  const joined = (name: string, more: object = {}) => create(name, { password: 'correct horse battery', ...more });
  const update = (id: number, body: object, by = admin) => platform.call(by, 'updateUser', { path: { id }, body });
  const list = (query: object = {}, by = admin) => platform.call(by, 'getUsers', { query: { ...query } });
  const find = async (id: number) => (await list()).items.find((user) => user.id === id);
  const bulk = (action: Schemas['BulkUserAction'], userIds: number[], by = admin) =>
    platform.call(by, 'bulkUserAction', { body: { action, userIds } });
  const as = (user: Schemas['User']): Principal => principalOf(admin.tenantId, user);
  const activeAdmins = async () =>
    (await list()).items.filter(({ isAdmin, status }) => isAdmin && status === 'ACTIVE').map(({ id }) => id);

  it.each(['getUsers', 'createUser', 'bulkUserAction', 'updateUser', 'deleteUser', 'inviteUser'] as const)(
    'refuses %s to everybody but administrators',
    async (operationId) => {
      const viewer = as(await joined('viewer'));
      const request = { path: { id: ownId }, body: newUser('x', { action: 'DELETE', userIds: [ownId] }) };
      expect(await platform.refusal(viewer, operationId, request)).toBe('access.denied');
    },
  );

  it.each([
    ['an email in other letters', { email: 'GRACE@people.test', username: 'other' }, 'user.email_taken'],
    ['a username in other letters', { email: 'other@people.test', username: 'GRACE' }, 'user.username_taken'],
  ])('refuses %s that another user has', async (_, body, code) => {
    await create('grace', { externalId: 'x-1' });
    expect(await platform.refusal(admin, 'createUser', { body })).toBe(code);
    expect((await list()).items).toHaveLength(2);
  });

  it('lets several users have one external id', async () => {
    const { id } = await create('grace', { externalId: 'x-1' });
    const other = await create('other', { externalId: 'x-1' });
    expect([await find(id), await find(other.id)]).toMatchObject([{ externalId: 'x-1' }, { externalId: 'x-1' }]);
  });

  it('lets another tenant have the same email, and keeps its users out of reach', async () => {
    const { id } = await create('grace', { externalId: 'x-1' });
    const stranger = await newTenantAdmin(platform);
    await platform.call(stranger, 'createUser', { body: newUser('grace', { externalId: 'x-1' }) });
    const path = { id };
    for (const operationId of ['updateUser', 'deleteUser', 'inviteUser'] as const) {
      expect(await platform.refusal(stranger, operationId, { path, body: {} })).toBe('user.not_found');
    }
    expect((await bulk('DELETE', [id], stranger)).failed).toMatchObject([{ userId: id, error: { status: 404 } }]);
    expect((await list({ search: 'grace' }, stranger)).items.map((user) => user.id)).not.toContain(id);
    expect(await find(id)).toMatchObject({ email: 'grace@people.test' });
  });

  it.each([
    ['a password that is the email address', { password: 'grace@people.test' }, 'password.unacceptable'],
    [
      'a password for somebody who signs in elsewhere',
      { isExternal: true, password: 'correct horse battery' },
      'request.invalid',
    ],
    ['a locale that does not exist', { settings: { locale: 'not a locale' } }, 'request.invalid'],
    ['a time zone that does not exist', { settings: { timezone: 'Moon/Crater' } }, 'request.invalid'],
    ['a deployment that does not exist', { settings: { defaultDeploymentId: 999_999 } }, 'request.invalid'],
  ])('refuses %s and creates nothing', async (_, more, code) => {
    expect(await platform.refusal(admin, 'createUser', { body: newUser('grace', more) })).toBe(code);
    expect((await list()).items).toHaveLength(1);
  });

  it('creates an invited user, an active one with a password, and an external one without either', async () => {
    const invited = await create('ada', { firstName: 'Ada', settings: { theme: 'dark', unknown: 1 } });
    expect(invited).toMatchObject({ status: 'INVITED', isAdmin: false, settings: { theme: 'dark' } });
    expect(invited.settings).not.toHaveProperty('unknown');
    expect(invited.invitation?.url).toMatch(/^https:\/\/tenant-\d+\.example\/auth\/invitation\/[\w-]{43}$/);
    expect(await joined('grace')).toMatchObject({ status: 'ACTIVE', invitation: null });
    expect(await create('joan', { isExternal: true })).toMatchObject({ status: 'ACTIVE', invitation: null });
  });

  it('sets no password for people who sign in elsewhere', async () => {
    const { id } = await create('joan', { isExternal: true });
    const body = { password: 'correct horse battery' };
    expect(await platform.refusal(admin, 'updateUser', { path: { id }, body })).toBe('user.has_no_password');
  });

  it('gives a new user the named roles, or that of a viewer, and refuses unknown ones', async () => {
    const { id } = await platform.call(admin, 'createRole', { body: { name: 'Analysts', policies: [] } });
    expect(await create('plain')).toMatchObject({ defaultRoles: ['Viewer'], isAdmin: false });
    expect(await create('bare', { defaultRoles: [] })).toMatchObject({ defaultRoles: [] });
    expect(await create('root', { defaultRoles: ['Admin'] })).toMatchObject({ defaultRoles: ['Admin'], isAdmin: true });
    const analyst = await joined('analyst', { defaultRoles: ['Developer', 'Analysts'] });
    expect(analyst.defaultRoles).toEqual(['Developer']);
    const wrong = { body: newUser('other', { defaultRoles: ['Nobody'] }) };
    expect(await platform.refusal(admin, 'createUser', wrong)).toBe('request.invalid');
    expect((await list()).items.map(({ username, defaultRoles }) => [username, defaultRoles]).slice(1)).toEqual([
      ['plain', ['Viewer']],
      ['bare', []],
      ['root', ['Admin']],
      ['analyst', ['Developer']],
    ]);
    await platform.call(admin, 'deleteRole', { path: { roleId: id } });
  });

  it('creates one user for a repeated request, with the same invitation', async () => {
    const request = { body: newUser('ada'), idempotencyKey: 'once' };
    const first = await platform.call(admin, 'createUser', request);
    expect(await platform.call(admin, 'createUser', request)).toEqual(first);
    expect((await list()).items).toHaveLength(2);
  });

  it('stores neither passwords nor invitation tokens in the clear', async () => {
    const { invitation } = await create('ada');
    await joined('grace');
    const rows = await platform.database.readAsSystem<{ row: string }>({
      name: 'secret-rows',
      text: `select row_to_json(u)::text as row from user_account u union all
             select row_to_json(i)::text from user_invitation i union all
             select payload::text from outbox union all select attributes::text from audit_event`,
    });
    const stored = rows.map(({ row }) => row).join('\n');
    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(stored).not.toContain('correct horse');
    expect(stored).not.toContain(invitation?.url.split('/').at(-1));
    expect(JSON.stringify(await list())).not.toContain('argon2');
  });

  it('changes what is given, keeps the rest, and clears with null', async () => {
    const { id } = await create('ada', { firstName: 'Ada', settings: { theme: 'dark', locale: 'en-GB' } });
    await update(id, { title: 'Analyst', notifications: ['builds'], embedTheme: { accent: 'red' } });
    expect(await update(id, { settings: { locale: null } })).toMatchObject({
      firstName: 'Ada',
      title: 'Analyst',
      notifications: { builds: true },
      settings: { theme: 'dark' },
    });
    expect(await update(id, { firstName: null, settings: null })).toMatchObject({ firstName: null, settings: {} });
    const { isAdmin, email } = await update(id, { isAdmin: null });
    const own = principalOf(admin.tenantId, { id, email, isAdmin });
    expect(await platform.call(own, 'getEmbedTheme')).toEqual({ embedTheme: { accent: 'red' } });
  });

  describe('taking access away', () => {
    it('refuses it for oneself, alone and in bulk', async () => {
      await joined('other', { isAdmin: true });
      for (const body of [{ isDeactivated: true }, { isAdmin: false }]) {
        const request = { path: { id: ownId }, body };
        expect(await platform.refusal(admin, 'updateUser', request)).toBe('user.own_account');
      }
      expect(await platform.refusal(admin, 'deleteUser', { path: { id: ownId } })).toBe('user.own_account');
      for (const [action, status] of [
        ['DEACTIVATE', 403],
        ['DELETE', 400],
      ] as const) {
        expect((await bulk(action, [ownId])).failed).toMatchObject([{ userId: ownId, error: { status } }]);
      }
      expect(await find(ownId)).toMatchObject({ isAdmin: true, status: 'ACTIVE' });
    });

    it('records it of each user to whom it was done, and of nobody else', async () => {
      const [first, second] = [await joined('first'), await joined('second')];
      const events = (event: string) => recordedActions(platform.database, admin.tenantId, event);
      const ids = [first.id, second.id];
      await bulk('DEACTIVATE', [...ids, ownId, 999_999]);
      await bulk('ACTIVATE', ids);
      await bulk('DELETE', ids);
      const actor = { actorEmail: admin.email };
      for (const event of ['Deactivated user', 'Activated user', 'Deleted user']) {
        expect(await events(event)).toMatchObject(ids.map((id) => ({ ...actor, attributes: { id } })));
      }
      expect(await events('Changed users in bulk')).toHaveLength(3);
    });

    it('refuses it for the last active administrator, whom invited and deactivated ones do not replace', async () => {
      await create('invited', { isAdmin: true });
      const deactivated = await joined('deactivated', { isAdmin: true });
      await update(deactivated.id, { isDeactivated: true });
      const program = { ...admin, userId: null };
      for (const body of [{ isDeactivated: true }, { isAdmin: false }]) {
        const request = { path: { id: ownId }, body };
        expect(await platform.refusal(program, 'updateUser', request)).toBe('user.last_admin');
      }
      expect(await platform.refusal(program, 'deleteUser', { path: { id: ownId } })).toBe('user.last_admin');
      for (const action of ['DEACTIVATE', 'DELETE'] as const) {
        expect((await bulk(action, [ownId], program)).failed).toMatchObject([{ error: { status: 403 } }]);
      }
      expect(await activeAdmins()).toEqual([ownId]);
    });

    it.each([
      ['demoting', (id: number, by: Principal) => update(id, { isAdmin: false }, by)],
      ['deactivating', (id: number, by: Principal) => update(id, { isDeactivated: true }, by)],
      ['deleting', (id: number, by: Principal) => platform.call(by, 'deleteUser', { path: { id } })],
      ['deactivating in bulk', (id: number, by: Principal) => bulk('DEACTIVATE', [id], by)],
    ])('leaves an administrator when two or three are %s each other at once', async (_, remove) => {
      const others = [await joined('second', { isAdmin: true }), await joined('third', { isAdmin: true })];
      const all = [...others.map(as), admin];
      const ids = all.map(({ userId }) => userId ?? 0);
      await Promise.allSettled(
        all.flatMap((by, index) => ids.filter((_id, at) => at !== index).map((id) => remove(id, by))),
      );
      expect(await activeAdmins()).toHaveLength(1);
    });

    it('locks out the keys of a deactivated user at once, and lets them in again with the old ones', async () => {
      const user = await joined('grace', { isAdmin: true });
      const key = await platform.call(as(user), 'createApiKey', { body: { name: 'own' } });
      const holder = async () => {
        const tokenHash = hashOf(key.token);
        const { principal } = await platform.call(systemPrincipal(admin.tenantId), 'authenticate', {
          body: { tenantId: admin.tenantId, tokenHash },
        });
        return principal?.userId;
      };
      expect(await holder()).toBe(user.id);
      const notices = platform.notices('control-plane.credential.changed');
      await update(user.id, { isDeactivated: true });
      await until(() => notices.some(({ tenantId }) => tenantId === admin.tenantId));
      expect(await holder()).toBeUndefined();
      await bulk('ACTIVATE', [user.id]);
      expect(await holder()).toBe(user.id);
    });

    it('does in bulk what can be done, once per user, in order, and says why the rest was refused', async () => {
      const [first, second] = [await joined('first'), await create('second')];
      const reply = await bulk('DEACTIVATE', [second.id, ownId, first.id, 999_999, second.id]);
      expect(reply.succeeded).toEqual([second.id, first.id]);
      expect(reply.failed.map(({ userId, error }) => [userId, error.status])).toEqual([
        [ownId, 403],
        [999_999, 404],
      ]);
      expect((await bulk('DEACTIVATE', [first.id])).succeeded).toEqual([first.id]);
      await bulk('ACTIVATE', [first.id, second.id]);
      expect([(await find(first.id))?.status, (await find(second.id))?.status]).toEqual(['ACTIVE', 'INVITED']);
      expect((await bulk('DELETE', [first.id, second.id])).failed).toEqual([]);
      expect((await list()).items.map(({ id }) => id)).toEqual([ownId]);
    });
  });

  describe('the list', () => {
    it('finds a part of the first name, the username or the email in any case, and takes wildcards literally', async () => {
      await create('ada', { firstName: 'Ada Über' });
      await create('grace_hopper');
      await create('100%');
      const found = async (search: string) => (await list({ search })).items.map(({ username }) => username);
      expect(await found('a ü')).toEqual(['ada']);
      expect(await found('HOPPER@people')).toEqual(['grace_hopper']);
      expect(await found('e_h')).toEqual(['grace_hopper']);
      expect(await found('a_a')).toEqual([]);
      expect(await found('0%')).toEqual(['100%']);
      expect(await found('\\')).toEqual([]);
      expect(await found('people.test')).toEqual(['ada', 'grace_hopper', '100%']);
    });

    it('shows every user once, while users come and go, and refuses the cursor of another search', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await create(`page-${name}`);
      const seen = await walk(
        (after) => list({ first: 2, search: 'page', ...(after !== undefined && { after }) }),
        async ([row]) => platform.call(admin, 'deleteUser', { path: { id: row?.id ?? 0 } }),
      );
      expect(seen.map(({ username }) => username)).toEqual(['page-a', 'page-b', 'page-c', 'page-d', 'page-e']);
      const { pageInfo } = await list({ first: 1 });
      const wrong = { query: { after: pageInfo.endCursor, search: 'x' } };
      expect(await platform.refusal(admin, 'getUsers', wrong)).toBe('request.cursor_invalid');
    });
  });
});
