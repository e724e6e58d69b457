import { ENTERPRISE, USER } from '@plinth/scim-protocol';
import type { ApiClient } from './harness/api-client';
import { bodyOf, expectScimError, newPerson, ScimResources, type Json } from './harness/scim-resources';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const secret = 'a secret of hers';

describe.each(onNats)('writing users by SCIM: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;
  let users: ScimResources;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Okta' } });
    client = topology.admin.as(`Bearer ${token}`);
    users = new ScimResources(client, 'Users');
  });
  afterAll(() => topology?.stop());

  const create = (more: Json = {}): Promise<Json> => users.create({ schemas: [USER], userName: newPerson(), ...more });

  it('2, 3, 7, 8, 103 refuses a user without a name, broken JSON, other media types and bodies that are too large', async () => {
    for (const body of [
      { schemas: [USER] },
      { userName: '' },
      { userName: ' ' },
      { userName: null },
      { userName: {} },
    ]) {
      expectScimError(await users.post(body), 400, 'invalidValue');
    }
    const raw = (body: string, type: string): Promise<Response> =>
      fetch(`${client.baseUrl}${users.path}`, {
        method: 'POST',
        body,
        headers: { Authorization: client.credential, 'Content-Type': type },
      });
    const broken = await raw('{"userName":', 'application/scim+json');
    expect([broken.status, broken.headers.get('content-type')]).toEqual([400, 'application/scim+json; charset=utf-8']);
    expect(await broken.json()).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    for (const type of ['text/plain', 'application/merge-patch+json', 'application/scim+json; charset=utf-16']) {
      const other = await raw(JSON.stringify({ userName: newPerson() }), type);
      expect([type, other.status, ((await other.json()) as Json)['status']]).toEqual([type, 415, '415']);
    }
    const large = await raw(`{"userName":"${'x'.repeat(11_000_000)}"}`, 'application/scim+json');
    expect([large.status, ((await large.json()) as Json)['status']]).toEqual([413, '413']);
    for (const type of ['application/json', 'application/scim+json', 'application/scim+json; charset=utf-8']) {
      expect((await raw(JSON.stringify({ userName: newPerson() }), type)).status).toBe(201);
    }
  });

  it('5, 34, 57 refuses a name in use, in other letters, and changes nothing', async () => {
    const { id, userName } = await create();
    const other = await create();
    const upper = String(userName).toUpperCase();
    expectScimError(await users.post({ userName: upper }), 409, 'uniqueness');
    const renaming = { op: 'replace', path: 'userName', value: upper };
    expectScimError(await users.patch(other['id'], renaming), 409, 'uniqueness');
    expectScimError(await users.put(other['id'], { userName: upper }), 409, 'uniqueness');
    expect(await users.read(other['id'])).toEqual(other);
    expect(await users.find(`userName eq "${upper}"`)).toMatchObject([{ id }]);
  });

  it('126 lets several users and groups have one externalId, and finds all of them', async () => {
    const externalId = `shared-${newPerson()}`;
    const filter = `externalId eq "${externalId}"`;
    const [first, second] = [await create({ externalId }), await create({ externalId })];
    expect((await users.find(filter)).map(({ id }) => id)).toEqual([first['id'], second['id']]);
    const groups = new ScimResources(client, 'Groups');
    const made = [];
    for (const displayName of [newPerson(), newPerson()]) made.push(await groups.create({ displayName, externalId }));
    expect((await groups.find(filter)).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
  });

  it('10 refuses two primary addresses, however they come', async () => {
    const emails = ['a', 'b'].map((value) => ({ value: `${value}@acme.test`, primary: true }));
    expectScimError(await users.post({ userName: newPerson(), emails }), 400, 'invalidValue');
    const before = await create({ emails: [{ value: newPerson(), primary: true }] });
    expectScimError(await users.put(before['id'], { userName: newPerson(), emails }), 400, 'invalidValue');
    expectScimError(await users.patch(before['id'], { op: 'add', path: 'emails', value: emails }), 400, 'invalidValue');
    expect(await users.read(before['id'])).toEqual(before);
  });

  it('1, 4 creates a user from a name alone, with id, meta, Location and ETag of its own', async () => {
    const userName = newPerson();
    const body = { schemas: [USER], userName, id: '7', meta: { resourceType: 'X' }, groups: [{ value: '1' }] };
    const reply = await users.post(body);
    const { id, meta } = bodyOf(reply) as { id: string; meta: Json };
    expect(reply).toMatchObject({
      status: 201,
      headers: {
        'content-type': 'application/scim+json; charset=utf-8',
        location: meta['location'],
        etag: meta['version'],
      },
      body: { schemas: [USER], userName, active: true, meta: { resourceType: 'User', created: meta['lastModified'] } },
    });
    expect(String(meta['location'])).toMatch(new RegExp(`/api/scim/v2/Users/${id}$`));
    expect(id).not.toBe('7');
    expect(reply.body).not.toHaveProperty('groups');
  });

  it('6, 8, 11, 56, 75 takes what identity providers send on creation', async () => {
    const okta = await create({
      externalId: `00u${Date.now()}`,
      name: { givenName: 'Jane', familyName: 'Doe' },
      emails: [{ primary: true, value: newPerson(), type: 'work' }],
      ...{ displayName: 'Jane Doe', locale: 'en-US', groups: [], password: secret, active: true },
    });
    expect(okta).toMatchObject({ name: { givenName: 'Jane', familyName: 'Doe' }, active: true, locale: 'en-US' });
    const misspelt = ENTERPRISE.replace(':User', 'User');
    const entra = await create({
      schemas: [USER, misspelt, 'urn:acme:2.0:Shoes'],
      ...{ userName: undefined, USERNAME: newPerson(), title: null, addresses: null, roles: [], active: 'True' },
      Emails: [{ Value: newPerson(), Type: 'work' }],
      meta: { resourceType: 'User' },
      [misspelt]: { department: 'Sales' },
      'urn:acme:2.0:Shoes': { size: 42 },
    });
    expect(entra).toMatchObject({
      schemas: [USER, ENTERPRISE],
      active: true,
      emails: [{ type: 'work' }],
      [ENTERPRISE]: { department: 'Sales' },
    });
    for (const name of ['title', 'addresses', 'roles', 'urn:acme:2.0:Shoes']) expect(entra).not.toHaveProperty([name]);
  });

  it('9 stores null, an empty list and nothing alike', async () => {
    const facts = async (more: Json): Promise<Json> => {
      const { id } = await create(more);
      return { ...(await users.read(id)), id: '', userName: '', meta: {} };
    };
    const bare = await facts({});
    expect(await facts({ title: null, emails: null, name: null, [ENTERPRISE]: null })).toEqual(bare);
    const empty = { title: '', emails: [], name: {}, roles: [], [ENTERPRISE]: { department: null, manager: '' } };
    expect(await facts(empty)).toEqual(bare);
  });

  it('11, 62 keeps a password nowhere', async () => {
    const created = await create({ password: secret });
    const id = created['id'];
    const replies = [
      created,
      await users.put(id, { ...created, password: secret }),
      await users.patch(id, { op: 'replace', value: { password: secret } }),
      await users.patch(id, { op: 'replace', path: 'password', value: secret }),
      await users.find(`id eq "${String(id)}"`),
    ];
    expect(replies.map((reply) => (reply as Json)['status'])).toEqual([undefined, 200, 200, 200, undefined]);
    expect(JSON.stringify(replies)).not.toContain(secret);
    expect(JSON.stringify(replies)).not.toContain('"password"');
  });

  it('33, 58, 61 replaces a user, who stays active unless the body says otherwise', async () => {
    const before = await create({ title: 'Boss', name: { givenName: 'A', familyName: 'B' } });
    const id = before['id'];
    expectScimError(await users.put(id, { schemas: [USER], title: 'Nobody' }), 400, 'invalidValue');
    expectScimError(await users.put('999999999', { userName: newPerson() }), 404);
    expect(await users.read(id)).toEqual(before);
    const name = { givenName: 'C', familyName: 'B' };
    const body = { ...before, name, title: undefined, active: undefined, groups: [], display: 'x', titel: 'y' };
    const after = await users.put(id, body);
    expect(after).toMatchObject({ status: 200, body: { id, name, active: true } });
    for (const absent of ['title', 'titel', 'display']) expect(after.body).not.toHaveProperty(absent);
    expect(await users.put(id, { ...before, active: false })).toMatchObject({ status: 200, body: { active: false } });
    expect(await users.put(id, { ...before, active: null })).toMatchObject({ status: 200, body: { active: false } });
  });

  it('47 changes and deletes the version that the client has seen', async () => {
    const { id, meta } = (await create()) as { id: string; meta: Json };
    const userName = newPerson();
    const operation = { op: 'replace', path: 'title', value: 'Boss' };
    const stale = { headers: { 'If-Match': 'W/"1"' } };
    expectScimError(await users.patchWith(id, [operation], stale), 412);
    expectScimError(await users.put(id, { userName }, stale), 412);
    expectScimError(await users.delete(id, stale), 412);
    const patched = await users.patchWith(id, [operation], { headers: { 'If-Match': String(meta['version']) } });
    expect(patched).toMatchObject({ status: 200, body: { title: 'Boss' } });
    expectScimError(await users.put(id, { userName }, { headers: { 'If-Match': String(meta['version']) } }), 412);
    const put = await users.put(id, { userName }, { headers: { 'If-Match': patched.headers['etag'] ?? '' } });
    expect(put).toMatchObject({ status: 200, body: { userName } });
    expect((await users.delete(id, { headers: { 'If-Match': '*' } })).status).toBe(204);
  });

  it('48, 91 forgets deleted users, whose names are free again', async () => {
    const { id, userName } = await create();
    expect(await users.delete(id)).toMatchObject({ status: 204, body: undefined });
    expectScimError(await users.delete(id), 404);
    expectScimError(await users.get(id), 404);
    expectScimError(await users.patch(id, { op: 'replace', path: 'title', value: 'x' }), 404);
    expect(await users.find(`userName eq "${String(userName)}"`)).toEqual([]);
    expect((await create({ userName }))['id']).not.toBe(id);
  });

  it('92, 127 renames a user, who stays the same, and whose name is nobody’s address', async () => {
    const { id, userName } = await create();
    const renamed = newPerson();
    const reply = await users.patch(id, { op: 'Replace', path: 'userName', value: renamed });
    expect(reply).toMatchObject({ status: 200, body: { id, userName: renamed } });
    expect(await users.find(`userName eq "${renamed}"`)).toMatchObject([{ id }]);
    const account = (await topology.admin.call('getUsers', { query: { first: 1000 } })).items.find(
      (user) => String(user.id) === id,
    );
    expect(account).toMatchObject({ username: renamed, email: '' });
    await create({ userName });
  });

  it('108, 110 takes no account over, and never locks the last administrator out', async () => {
    const [owner] = (await topology.admin.call('getUsers')).items;
    const email = String(owner?.email);
    const body = { userName: newPerson(), emails: [{ value: email, primary: true }] };
    expectScimError(await users.post(body), 409, 'uniqueness');
    const { id } = await create();
    expectScimError(await users.put(id, body), 409, 'uniqueness');
    for (const value of [{ active: false }, { active: 'False' }, { active: '' }]) {
      expectScimError(await users.patch(owner?.id, { op: 'replace', value }), 409);
    }
    expectScimError(await users.put(owner?.id, { userName: String(owner?.username), active: false }), 409);
    expectScimError(await users.delete(owner?.id), 409);
    const { items } = await topology.admin.call('getUsers');
    expect(items.find((user) => user.id === owner?.id)).toMatchObject({ isDeactivated: false, isAdmin: true, email });
  });

  it('gives a new user the role of a viewer, and the facts that the tenant keeps', async () => {
    const name = `fact${Date.now()}`;
    await topology.admin.call('createUserAttribute', { body: { name, type: 'number' } });
    const path = `urn:cube:params:1.0:UserAttribute:${name}`;
    const { id } = await create({ [path]: '5' });
    expect((await users.read(id))['urn:cube:params:1.0:UserAttribute']).toEqual({ [name]: 5 });
    expect((await users.patch(id, { op: 'Replace', path, value: '7' })).status).toBe(200);
    expectScimError(await users.patch(id, { op: 'Replace', path: `${path}x`, value: '7' }), 400, 'invalidValue');
    expectScimError(await users.patch(id, { op: 'Replace', path, value: 'seven' }), 400, 'invalidValue');
    const { items } = await topology.admin.call('getUsers');
    expect(items.find((user) => String(user.id) === id)).toMatchObject({ isAdmin: false, defaultRoles: ['Viewer'] });
  });

  it('answers 403 while provisioning is switched off', async () => {
    await topology.admin.call('updateTenantSettings', { body: { scimEnabled: false } });
    expectScimError(await users.list(), 403);
    await topology.admin.call('updateTenantSettings', { body: { scimEnabled: true } });
    expect((await users.list()).status).toBe(200);
  });
});
