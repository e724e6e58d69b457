import type { ApiClient, ApiReply } from './harness/api-client';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

type Json = Record<string, unknown>;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const users = '/api/scim/v2/Users';

let people = 0;
const newName = (): string => `person-${(people += 1)}@acme.test`;

describe.each(topologies)('users by SCIM: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Okta' } });
    client = topology.admin.as(`Bearer ${token}`);
  });
  afterAll(() => topology?.stop());

  const bodyOf = ({ body }: ApiReply): Json => body as Json;
  const create = async (more: Json = {}): Promise<Json> => {
    const reply = await client.send('POST', users, { body: { schemas: [USER], userName: newName(), ...more } });
    expect(reply).toMatchObject({ status: 201 });
    return bodyOf(reply);
  };
  const get = async (id: unknown): Promise<Json> => bodyOf(await client.send('GET', `${users}/${String(id)}`));
  const patch = (id: unknown, ...Operations: Json[]): Promise<ApiReply> =>
    client.send('PATCH', `${users}/${String(id)}`, { body: { schemas: [PATCH], Operations } });
  const find = async (filter: string, more: Json = {}): Promise<Json[]> => {
    const reply = await client.send('GET', users, { query: { filter, ...more } });
    expect([filter, reply.status, reply.body]).toEqual([filter, 200, expect.anything()]);
    return bodyOf(reply)['Resources'] as Json[];
  };
  const expectError = (reply: ApiReply, status: number, scimType?: string) =>
    expect(reply).toMatchObject({ status, body: { status: String(status), ...(scimType && { scimType }) } });

  it('1, 4 creates a user from a name alone, with id, meta, Location and ETag of its own', async () => {
    const userName = newName();
    const body = { schemas: [USER], userName, id: '7', meta: { resourceType: 'X' }, groups: [{ value: '1' }] };
    const reply = await client.send('POST', users, { body });
    const { id, meta } = bodyOf(reply) as { id: string; meta: Json };
    expect(reply).toMatchObject({
      status: 201,
      headers: { location: meta['location'], etag: meta['version'] },
      body: { schemas: [USER], userName, active: true, meta: { resourceType: 'User', created: meta['lastModified'] } },
    });
    expect(id).not.toBe('7');
    expect(reply.body).not.toHaveProperty('groups');
  });

  it('2, 3, 7, 103 refuses a user without a name, broken JSON, other media types and bodies that are too large', async () => {
    for (const body of [{ schemas: [USER] }, { schemas: [USER], userName: '' }]) {
      expectError(await client.send('POST', users, { body }), 400, 'invalidValue');
    }
    const raw = (body: string, type: string): Promise<Response> =>
      fetch(`${client.baseUrl}${users}`, {
        method: 'POST',
        body,
        headers: { Authorization: client.credential, 'Content-Type': type },
      });
    const broken = await raw('{"userName":', 'application/scim+json');
    expect([broken.status, broken.headers.get('content-type')]).toEqual([400, 'application/scim+json; charset=utf-8']);
    expect(await broken.json()).toMatchObject({ status: '400', scimType: 'invalidSyntax' });
    expect((await raw('{}', 'text/plain')).status).toBe(415);
    const large = await raw(`{"userName":"${'x'.repeat(11_000_000)}"}`, 'application/scim+json');
    expect([large.status, ((await large.json()) as Json)['status']]).toEqual([413, '413']);
    for (const type of ['application/json', 'application/scim+json', 'application/scim+json; charset=utf-8']) {
      expect((await raw(JSON.stringify({ userName: newName() }), type)).status).toBe(201);
    }
  });

  it('5, 34, 57 refuses a name in use, in other letters, and changes nothing', async () => {
    const { id, userName } = await create();
    const other = await create();
    const upper = String(userName).toUpperCase();
    expectError(await client.send('POST', users, { body: { userName: upper } }), 409, 'uniqueness');
    expectError(await patch(other['id'], { op: 'replace', path: 'userName', value: upper }), 409, 'uniqueness');
    const put = await client.send('PUT', `${users}/${String(other['id'])}`, { body: { userName: upper } });
    expectError(put, 409, 'uniqueness');
    expect(await get(other['id'])).toEqual(other);
    expect(await find(`userName eq "${upper}"`)).toMatchObject([{ id }]);
  });

  it('6, 8, 9, 11, 56, 75 takes what identity providers send on creation', async () => {
    const okta = await create({
      externalId: `00u${Date.now()}`,
      name: { givenName: 'Jane', familyName: 'Doe' },
      emails: [{ primary: true, value: newName(), type: 'work' }],
      ...{ displayName: 'Jane Doe', locale: 'en-US', groups: [], password: 'a secret of hers', active: true },
    });
    expect(okta).toMatchObject({ name: { givenName: 'Jane', familyName: 'Doe' }, active: true, locale: 'en-US' });
    expect(JSON.stringify(okta)).not.toContain('a secret of hers');
    const entra = await client.send('POST', users, {
      body: {
        schemas: [USER, `${ENTERPRISE.replace(':User', 'User')}`],
        ...{ USERNAME: newName(), title: null, addresses: null, roles: [], active: 'True' },
        Emails: [{ Value: newName(), Type: 'work' }],
        meta: { resourceType: 'User' },
        [ENTERPRISE.replace(':User', 'User')]: { department: 'Sales' },
      },
    });
    expect(entra).toMatchObject({
      status: 201,
      body: { active: true, emails: [{ type: 'work' }], [ENTERPRISE]: { department: 'Sales' } },
    });
    expect(entra.body).not.toHaveProperty('title');
  });

  it('10 refuses two primary addresses', async () => {
    const emails = ['a', 'b'].map((value) => ({ value: `${value}@acme.test`, primary: true }));
    expectError(await client.send('POST', users, { body: { userName: newName(), emails } }), 400, 'invalidValue');
  });

  it('12, 47 compares versions', async () => {
    const { id, meta } = await create();
    const path = `${users}/${String(id)}`;
    const version = String((meta as Json)['version']);
    const read = await client.send('GET', path, { headers: { 'If-None-Match': version } });
    expect(read.status).toBe(304);
    const operations = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'title', value: 'Boss' }] };
    const stale = { 'If-Match': 'W/"1"' };
    expectError(await client.send('PATCH', path, { body: operations, headers: stale }), 412);
    expectError(await client.send('PUT', path, { body: { userName: newName() }, headers: stale }), 412);
    expectError(await client.send('DELETE', path, { headers: stale }), 412);
    const right = await client.send('PATCH', path, { body: operations, headers: { 'If-Match': version } });
    expect(right).toMatchObject({ status: 200, body: { title: 'Boss' } });
    expect((await client.send('DELETE', path, { headers: { 'If-Match': '*' } })).status).toBe(204);
  });

  it('13, 48, 91 knows neither strange ids nor deleted users, whose names are free again', async () => {
    for (const id of ['4c0d5f0e-7d35-4a4c-9f3c-0c1b8a4a5a11', '00919288221112222', '999999999']) {
      expectError(await client.send('GET', `${users}/${id}`), 404);
    }
    const { id, userName } = await create();
    const path = `${users}/${String(id)}`;
    expect((await client.send('DELETE', path)).status).toBe(204);
    for (const method of ['DELETE', 'GET']) expectError(await client.send(method, path), 404);
    expect(await find(`userName eq "${String(userName)}"`)).toEqual([]);
    expect((await create({ userName }))['id']).not.toBe(id);
  });

  it('15, 16, 17, 18, 55, 94 pages by position with integers', async () => {
    await create();
    const list = async (query: Json): Promise<Json> => bodyOf(await client.send('GET', users, { query }));
    const { totalResults, ...first } = await list({ startIndex: 1, count: 2 });
    expect(first).toMatchObject({ startIndex: 1, itemsPerPage: 2 });
    expect(await list({ startIndex: -5, count: 1 })).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
    expect(await list({ count: -1 })).toMatchObject({ itemsPerPage: 0, Resources: [], totalResults });
    expect(await list({ startIndex: 2, count: 1 })).toMatchObject({ startIndex: 2, itemsPerPage: 1 });
    expect(await list({ startIndex: Number(totalResults) + 1 })).toMatchObject({ Resources: [], totalResults });
    for (const query of [{ startIndex: 'abc' }, { count: '1.5' }]) {
      expectError(await client.send('GET', users, { query }), 400, 'invalidValue');
    }
  });

  it('20, 21, 22, 26, 71 filters by the rules of each attribute', async () => {
    const externalId = `ABC-${newName()}`;
    const work = newName();
    const { id, userName } = await create({
      externalId,
      emails: [
        { value: work, type: 'work' },
        { value: newName(), type: 'home' },
      ],
      [ENTERPRISE]: { department: `Dept ${work}` },
    });
    const hit = [{ id }];
    expect(await find(`USERNAME EQ "${String(userName).toUpperCase()}"`)).toMatchObject(hit);
    expect(await find(`externalId eq "${externalId}"`)).toMatchObject(hit);
    expect(await find(`externalId eq "${externalId.toLowerCase()}"`)).toEqual([]);
    expect(await find(`emails[type eq "work"].value eq "${work}"`)).toMatchObject(hit);
    expect(await find(`emails[type eq "home"].value eq "${work}"`)).toEqual([]);
    expect(await find(`emails[type eq "work" and value eq "${work.toUpperCase()}"]`)).toMatchObject(hit);
    expect(await find(`emails[type eq "home" and value eq "${work}"]`)).toEqual([]);
    expect(await find(`emails.value eq "${work}"`)).toMatchObject(hit);
    expect(await find(`${USER}:userName eq "${String(userName)}"`)).toMatchObject(hit);
    expect(await find(`${ENTERPRISE}:department eq "dept ${work}"`)).toMatchObject(hit);
    expect(await find(`id eq "${String(id)}" and active eq true`)).toMatchObject(hit);
    expect(await find(`userName sw "${String(userName).slice(0, -3)}" and not (active eq false)`)).toMatchObject(hit);
  });

  it('19, 63 walks every page once, inactive users included', async () => {
    const made = await Promise.all(Array.from({ length: 9 }, (_each, at) => create({ active: at % 2 === 0 })));
    const seen: unknown[] = [];
    for (let startIndex = 1, total = 1; startIndex <= total; startIndex += 7) {
      const page = bodyOf(await client.send('GET', users, { query: { startIndex, count: 7 } }));
      seen.push(...(page['Resources'] as Json[]).map(({ id }) => id));
      total = Number(page['totalResults']);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
  });

  it('23, 24, 25, 74 compares in every way, with the precedence of the RFC', async () => {
    const mark = `mark${Date.now()}`;
    const begun = new Date(Date.now() - 60_000).toISOString().replace('Z', '+00:00');
    const a = await create({ title: `${mark} A 100%`, displayName: 'x [and] (or) "not" \\' });
    const b = await create({ title: `${mark} B` });
    const ids = async (filter: string): Promise<unknown[]> =>
      (await find(`title sw "${mark}" and (${filter})`)).map(({ id }) => id);
    expect(await ids('title co "100%"')).toEqual([a['id']]);
    expect(await ids('title co "1%0"')).toEqual([]);
    expect(await ids('title ew " b"')).toEqual([b['id']]);
    expect(await ids(`title ne "${mark} b"`)).toEqual([a['id']]);
    expect(await ids('displayName pr')).toEqual([a['id']]);
    expect(await ids('displayName eq "x [and] (or) \\"n\\u006ft\\" \\\\"')).toEqual([a['id']]);
    expect(await ids(`meta.lastModified gt "${begun}"`)).toHaveLength(2);
    expect(await ids(`meta.lastModified le "${begun}"`)).toEqual([]);
    expect(await ids('not (title ew "B" or title ew "%")')).toEqual([]);
    expect(await ids('not (title ew "B" and title ew "%")')).toHaveLength(2);
    expect(await ids('title ew "B" or title ew "%" and displayName pr')).toHaveLength(2);
    const flagged = await client.send('GET', `${users}?aadOptscim062020`, {
      query: { filter: `id eq "${String(a['id'])}"` },
    });
    expect(flagged.body).toMatchObject({ totalResults: 1 });
  });

  it('46, 82 projects the reply to a patch, and clears what is set to nothing', async () => {
    const { id } = await create({ title: 'Boss', nickName: 'B' });
    const Operations = [
      { op: 'Replace', path: 'title', value: '' },
      { op: 'Replace', path: 'nickName', value: null },
    ];
    const path = `${users}/${String(id)}`;
    const reply = await client.send('PATCH', path, {
      body: { schemas: [PATCH], Operations },
      query: { attributes: 'userName' },
    });
    expect(reply.status).toBe(200);
    expect(Object.keys(bodyOf(reply)).sort()).toEqual(['id', 'schemas', 'userName']);
    const after = await get(id);
    expect(after).not.toHaveProperty('title');
    expect(after).not.toHaveProperty('nickName');
  });

  it('54, 73 answers with an empty list where nothing matches', async () => {
    expect(await find('userName eq "5b0d52cb-0f2d-4f33-8c55-6a4d3ad0a5a7"', { startIndex: 1, count: 100 })).toEqual([]);
    expect(await find('externalId eq "5b0d52cb"')).toEqual([]);
  });

  it.each([
    '',
    ' ',
    'userName regex "x"',
    'userName eq',
    '(((',
    'userName eq "a" and',
    'active gt true',
    'shoeSize eq "1"',
  ])('27 refuses the filter "%s"', async (filter) => {
    expectError(await client.send('GET', users, { query: { filter } }), 400, 'invalidFilter');
  });

  it('28, 29, 30 returns the attributes that are asked for', async () => {
    const { id } = await create({ name: { givenName: 'Jo', familyName: 'Li' } });
    const read = async (query: Json) => client.send('GET', `${users}/${String(id)}`, { query });
    expect(Object.keys(bodyOf(await read({ attributes: 'username' }))).sort()).toEqual(['id', 'schemas', 'userName']);
    expect(await read({ attributes: 'name.givenName' })).toMatchObject({ body: { name: { givenName: 'Jo' } } });
    const without = bodyOf(await read({ excludedAttributes: 'emails,id' }));
    expect(without).toMatchObject({ id });
    expect(without).not.toHaveProperty('emails');
    expectError(await read({ attributes: 'id', excludedAttributes: 'emails' }), 400);
  });

  it('31, 32 sorts without regard to case, and searches by POST', async () => {
    const body = { filter: 'userName pr', sortBy: 'userName', sortOrder: 'descending', count: 3 };
    const reply = await client.send('POST', `${users}/.search`, { body });
    expect(reply.status).toBe(200);
    const names = (bodyOf(reply)['Resources'] as Json[]).map(({ userName }) => String(userName).toLowerCase());
    expect(names).toEqual([...names].sort().reverse());
  });

  it('33, 58, 61 replaces a user, who stays active unless the body says otherwise', async () => {
    const before = await create({ title: 'Boss', name: { givenName: 'A', familyName: 'B' } });
    const path = `${users}/${String(before['id'])}`;
    const name = { givenName: 'C', familyName: 'B' };
    const body = { ...before, name, title: undefined, active: undefined, groups: [], display: 'x' };
    const after = await client.send('PUT', path, { body });
    expect(after).toMatchObject({ status: 200, body: { id: before['id'], name, active: true } });
    expect(after.body).not.toHaveProperty('title');
    expect(await client.send('PUT', path, { body: { ...before, active: false } })).toMatchObject({
      status: 200,
      body: { active: false },
    });
    expectError(await client.send('PUT', path, { body: { schemas: [USER] } }), 400, 'invalidValue');
    expectError(await client.send('PUT', `${users}/999999999`, { body: { userName: newName() } }), 404);
  });

  it('35, 36, 45 refuses operations that make no sense', async () => {
    const { id } = await create();
    const path = `${users}/${String(id)}`;
    expectError(await client.send('PATCH', path, { body: { Operations: [] } }), 400, 'invalidSyntax');
    expectError(await client.send('PATCH', path, { body: { schemas: [PATCH] } }), 400, 'invalidSyntax');
    expectError(await patch(id, { op: 'move', path: 'title' }), 400, 'invalidSyntax');
    expectError(await patch(id, { op: 'remove' }), 400, 'noTarget');
    expectError(await patch(id, { op: 'remove', path: 'userName' }), 400, 'mutability');
    expectError(await patch(id, { op: 'replace', path: 'id', value: '1' }), 400, 'mutability');
    expectError(await patch(id, { op: 'replace', path: 'shoeSize', value: '1' }), 400, 'invalidPath');
    expectError(await patch(id, { op: 'replace', path: 'emails[type eq', value: '1' }), 400);
    expectError(await patch(id, { op: 'replace', path: 'userName', value: '' }), 400, 'invalidValue');
  });

  it('37, 38, 40, 41 changes lists of addresses', async () => {
    const [first, second, third] = [newName(), newName(), newName()];
    const { id, meta } = await create({ emails: [{ value: first, type: 'work', primary: true }] });
    const same = await patch(id, { op: 'add', path: 'emails', value: [{ value: first, type: 'work', primary: true }] });
    expect(bodyOf(same)['meta']).toEqual(meta);
    const added = await patch(id, {
      op: 'add',
      path: 'emails',
      value: [{ value: second, type: 'home', primary: true }],
    });
    expect(bodyOf(added)['emails']).toEqual([
      { value: first, type: 'work', primary: false },
      { value: second, type: 'home', primary: true },
    ]);
    const removed = await patch(id, { op: 'remove', path: 'emails[type eq "home"]' });
    expect(bodyOf(removed)['emails']).toMatchObject([{ value: first }]);
    const replaced = await patch(id, { op: 'replace', value: { emails: [{ value: third }] } });
    expect(bodyOf(replaced)['emails']).toEqual([{ value: third }]);
    expect((await patch(id, { op: 'remove', path: 'emails' })).body).not.toHaveProperty('emails');
  });

  it('39, 44, 80 keeps the parts of a complex attribute that are not mentioned', async () => {
    const { id } = await create({ name: { givenName: 'A', familyName: 'B' } });
    await patch(id, { op: 'replace', path: 'name', value: { familyName: 'C' } });
    await patch(id, { op: 'replace', value: { [ENTERPRISE]: { department: 'd' } } });
    const changed = await patch(id, { op: 'add', path: `${ENTERPRISE}:costCenter`, value: '7' });
    expect(changed.body).toMatchObject({
      schemas: [USER, ENTERPRISE],
      name: { givenName: 'A', familyName: 'C' },
      [ENTERPRISE]: { department: 'd', costCenter: '7' },
    });
    const bare = await patch(
      id,
      { op: 'Remove', path: `${ENTERPRISE}:costCenter` },
      { op: 'Replace', path: `${ENTERPRISE}:department`, value: '' },
    );
    expect(bodyOf(bare)['schemas']).toEqual([USER]);
  });

  it('42, 43 changes nothing when one of the operations fails', async () => {
    const before = await create();
    const target = { op: 'replace', path: 'emails[type eq "nonexistent"]', value: { value: 'x' } };
    expectError(await patch(before['id'], { op: 'replace', path: 'title', value: 'X' }, target), 400, 'noTarget');
    expect(await get(before['id'])).toEqual(before);
  });

  it('59, 60, 76, 93 deactivates and reactivates in every dialect, and shows the user all the while', async () => {
    const { id, userName } = await create();
    for (const [operation, active] of [
      [{ op: 'replace', value: { active: false } }, false],
      [{ op: 'replace', value: { active: true } }, true],
      [{ op: 'Replace', path: 'active', value: 'False' }, false],
      [{ op: 'ADD', path: 'active', value: 'True' }, true],
    ] as const) {
      expect(await patch(id, operation)).toMatchObject({ status: 200, body: { active } });
      expect(await find(`userName eq "${String(userName)}"`)).toMatchObject([{ id, active }]);
    }
  });

  it('62, 77, 78, 79, 83 applies what the two providers send in a patch', async () => {
    const { id } = await create();
    const address = newName();
    expect((await patch(id, { op: 'replace', value: { password: 'a new secret' } })).status).toBe(200);
    await patch(id, { op: 'Add', path: 'emails[type eq "work"].value', value: newName() });
    await patch(id, { op: 'Replace', path: 'emails[type eq "Work"].value', value: address });
    await patch(
      id,
      { op: 'Add', path: 'addresses[type eq "work"].formatted', value: 'Street 1' },
      { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'Town' },
      { op: 'Add', path: 'roles[primary eq "True"].value', value: 'reader' },
    );
    const dotted = {
      'name.givenName': 'a',
      'name.familyName': 'b',
      [`${ENTERPRISE}:employeeNumber`]: '1',
      displayName: 'c',
    };
    expect((await patch(id, { op: 'replace', value: dotted })).body).toMatchObject({
      emails: [{ type: 'work', value: address }],
      addresses: [{ type: 'work', formatted: 'Street 1', locality: 'Town' }],
      roles: [{ primary: true, value: 'reader' }],
      name: { givenName: 'a', familyName: 'b' },
      displayName: 'c',
      [ENTERPRISE]: { employeeNumber: '1' },
    });
  });

  it('81 sets and clears the manager in every form', async () => {
    const { id: boss } = await create();
    const { id } = await create();
    const path = `${ENTERPRISE}:manager`;
    for (const value of [boss, { value: boss }, [{ $ref: 'x', value: boss }]]) {
      const set = await patch(id, { op: 'Add', path, value });
      expect(set.body).toMatchObject({
        [ENTERPRISE]: { manager: { value: boss, $ref: expect.stringContaining('/Users/') } },
      });
      const cleared = await patch(id, { op: 'Replace', path, value: '' });
      expect(cleared.body).not.toHaveProperty([ENTERPRISE]);
    }
  });

  it('92 renames a user, who stays the same', async () => {
    const { id, userName } = await create();
    const renamed = newName();
    expect((await patch(id, { op: 'Replace', path: 'userName', value: renamed })).body).toMatchObject({ id });
    expect(await find(`userName eq "${renamed}"`)).toMatchObject([{ id }]);
    await create({ userName });
  });

  it('105, 112 survives hostile filters and texts', async () => {
    const begun = performance.now();
    const pairs = Array.from({ length: 20 }, (_each, at) => `(userName eq "a${at}" or title eq "b")`).join(' and ');
    expect(await find(pairs)).toEqual([]);
    expectError(await client.send('GET', users, { query: { filter: '('.repeat(4_000) } }), 400, 'invalidFilter');
    expectError(await client.send('GET', users, { query: { filter: `userName eq "${'x'.repeat(5_000)}"` } }), 400);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await find(`userName eq "' or 1=1 --"`)).toEqual([]);
    expect(await find('userName co "%_%"')).toEqual([]);
    const nul = await client.send('POST', users, { body: { userName: 'a\u0000b' } });
    expectError(nul, 400, 'invalidValue');
    const odd = JSON.parse(`{"userName":"${newName()}","__proto__":{"polluted":1},"constructor":{"a":1}}`) as Json;
    expect((await client.send('POST', users, { body: odd })).status).toBe(201);
  });

  it('108, 110 takes no account over, and never locks the last administrator out', async () => {
    const [owner] = (await topology.admin.call('getUsers')).items;
    const email = String(owner?.email);
    const body = { userName: newName(), emails: [{ value: email, primary: true }] };
    expectError(await client.send('POST', users, { body }), 409, 'uniqueness');
    expectError(await patch(owner?.id, { op: 'replace', value: { active: false } }), 409);
    expectError(await client.send('DELETE', `${users}/${String(owner?.id)}`), 409);
    const { items } = await topology.admin.call('getUsers');
    expect(items.find(({ id }) => id === owner?.id)).toMatchObject({ isDeactivated: false, isAdmin: true, email });
  });

  it('gives a new user the role of a viewer, and the facts that the tenant keeps', async () => {
    const name = `fact${Date.now()}`;
    await topology.admin.call('createUserAttribute', { body: { name, type: 'number' } });
    const path = `urn:cube:params:1.0:UserAttribute:${name}`;
    const { id } = await create({ [path]: '5' });
    expect((await get(id))['urn:cube:params:1.0:UserAttribute']).toEqual({ [name]: 5 });
    expect((await patch(id, { op: 'Replace', path, value: '7' })).status).toBe(200);
    expectError(await patch(id, { op: 'Replace', path: `${path}x`, value: '7' }), 400, 'invalidValue');
    expectError(await patch(id, { op: 'Replace', path, value: 'seven' }), 400, 'invalidValue');
    const { items } = await topology.admin.call('getUsers');
    expect(items.find((user) => String(user.id) === id)).toMatchObject({ isAdmin: false, defaultRoles: ['Viewer'] });
  });

  it('answers 403 while provisioning is switched off', async () => {
    await topology.admin.call('updateTenantSettings', { body: { scimEnabled: false } });
    expectError(await client.send('GET', users), 403);
    await topology.admin.call('updateTenantSettings', { body: { scimEnabled: true } });
    expect((await client.send('GET', users)).status).toBe(200);
  });
});
