import { ENTERPRISE, LIST_RESPONSE, SEARCH_REQUEST, USER } from '@plinth/scim-protocol';
import type { ApiClient } from './harness/api-client';
import { bodyOf, expectScimError, newPerson, ScimResources, type Json } from './harness/scim-resources';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

describe.each(onNats)('reading users by SCIM: %s', (_name, start) => {
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

  const create = (more: Json = {}): Promise<Json> => users.create({ userName: newPerson(), ...more });
  const list = async (query: Json = {}): Promise<Json> => {
    const reply = await users.list(query);
    expect(reply.status).toBe(200);
    return bodyOf(reply);
  };

  it.each([
    ...['', ' ', '(((', 'userName', 'userName eq', 'userName regex "x"', 'userName eq "a" and', 'userName eq "a'],
    ...['active gt true', 'shoeSize eq "1"', 'password eq "x"', 'userName eq "a" userName'],
  ])('27 refuses the filter "%s"', async (filter) => {
    expectScimError(await users.list({ filter }), 400, 'invalidFilter');
    expectScimError(await client.send('POST', `${users.path}/.search`, { body: { filter } }), 400, 'invalidFilter');
  });

  it('13 knows no strange ids', async () => {
    for (const id of ['4c0d5f0e-7d35-4a4c-9f3c-0c1b8a4a5a11', '00919288221112222', '999999999', '0', '-1']) {
      expectScimError(await users.get(id), 404);
    }
  });

  it('12 answers 304 to a reader who has the version', async () => {
    const { id, meta } = (await create()) as { id: string; meta: Json };
    const version = String(meta['version']);
    expect(await users.get(id)).toMatchObject({ status: 200, headers: { etag: version } });
    expect(await users.get(id, { headers: { 'If-None-Match': version } })).toMatchObject({ status: 304 });
    const strong = version.replace('W/', '');
    expect(await users.get(id, { headers: { 'If-None-Match': `"1", ${strong}` } })).toMatchObject({ status: 304 });
    expect(await users.get(id, { headers: { 'If-None-Match': 'W/"1"' } })).toMatchObject({ status: 200 });
  });

  it('15, 16, 17, 18, 55, 94 pages by position with integers', async () => {
    for (let made = 0; made < 8; made += 1) await create();
    const { totalResults, Resources, ...first } = await list();
    expect(first).toEqual({
      schemas: [LIST_RESPONSE],
      startIndex: 1,
      itemsPerPage: (Resources as Json[]).length,
    });
    expect(Number.isInteger(totalResults)).toBe(true);
    for (const startIndex of [0, -5, 1]) {
      expect(await list({ startIndex, count: 2 })).toMatchObject({ startIndex: 1, itemsPerPage: 2, totalResults });
    }
    for (const count of [0, -1]) {
      expect(await list({ count })).toMatchObject({ itemsPerPage: 0, Resources: [], totalResults });
    }
    expect(await list({ startIndex: 6, count: 3 })).toMatchObject({ startIndex: 6, itemsPerPage: 3, totalResults });
    const beyond = Number(totalResults) + 1;
    expect(await list({ startIndex: beyond })).toMatchObject({ startIndex: beyond, Resources: [], totalResults });
    for (const query of [{ startIndex: 'abc' }, { count: '1.5' }]) {
      expectScimError(await users.list(query), 400, 'invalidValue');
    }
  });

  it('19, 63 walks every page once, inactive users included', async () => {
    const made = await Promise.all(Array.from({ length: 9 }, (_each, at) => create({ active: at % 2 === 0 })));
    const seen: unknown[] = [];
    for (let startIndex = 1, total = 1; startIndex <= total; startIndex += 7) {
      const page = await list({ startIndex, count: 7 });
      seen.push(...(page['Resources'] as Json[]).map(({ id }) => id));
      total = Number(page['totalResults']);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
  });

  it('20, 21, 22, 26, 71 filters by the rules of each attribute', async () => {
    const externalId = `ABC-${newPerson()}`;
    const work = newPerson();
    const { id, userName } = (await create({
      externalId,
      emails: [
        { value: work, type: 'work' },
        { value: newPerson(), type: 'home' },
      ],
      [ENTERPRISE]: { department: `Dept ${work}` },
    })) as { id: string; userName: string };
    for (const filter of [
      `USERNAME EQ "${userName.toUpperCase()}"`,
      `externalId eq "${externalId}"`,
      `emails[type eq "work"].value eq "${work}"`,
      `emails[type eq "work" and value eq "${work.toUpperCase()}"]`,
      `emails.value eq "${work}"`,
      `emails eq "${work}"`,
      `${USER}:userName eq "${userName}"`,
      `${ENTERPRISE}:department eq "dept ${work}"`,
      `department eq "dept ${work}"`,
      `id eq "${id}" and active eq true`,
      `userName sw "${userName.slice(0, -3)}" and not (active eq false)`,
    ]) {
      expect([filter, await users.find(filter)]).toMatchObject([filter, [{ id }]]);
    }
    for (const filter of [
      `externalId eq "${externalId.toLowerCase()}"`,
      `emails[type eq "home"].value eq "${work}"`,
      `emails[type eq "home" and value eq "${work}"]`,
      `id eq "${id}" and active eq false`,
    ]) {
      expect([filter, await users.find(filter)]).toEqual([filter, []]);
    }
  });

  it('20 decodes filters however they are encoded', async () => {
    const { id, userName } = await create();
    const name = encodeURIComponent(String(userName));
    for (const query of [`filter=userName+eq+%22${name}%22`, `filter=userName%20eq%20%22${name}%22`]) {
      const reply = await client.send('GET', `${users.path}?${query}&STARTINDEX=1`);
      expect(reply).toMatchObject({ status: 200, body: { totalResults: 1, Resources: [{ id }] } });
    }
  });

  it('23, 24, 25, 74 compares in every way, with the precedence of the RFC', async () => {
    const mark = `mark${Date.now()}`;
    const a = await create({ title: `${mark} A 100%`, displayName: 'x [and] (or) "not" \\' });
    const b = await create({ title: `${mark} B_` });
    const ids = async (filter: string): Promise<unknown[]> =>
      (await users.find(`title sw "${mark}" and (${filter})`)).map(({ id }) => id);
    const [onlyA, onlyB, both] = [[a['id']], [b['id']], [a['id'], b['id']]];
    for (const [filter, expected] of [
      ['title co "100%"', onlyA],
      ['title co "1%0"', []],
      ['title co "_"', onlyB],
      ['title ew " b_"', onlyB],
      [`title ne "${mark} b_"`, onlyA],
      ['displayName pr', onlyA],
      ['displayName eq "x [and] (or) \\"n\\u006ft\\" \\\\"', onlyA],
      ['not (title ew "B_" or title ew "%")', []],
      ['not (title ew "B_" and title ew "%")', both],
      ['title ew "B_" or title ew "%" and displayName pr', both],
      ['(title ew "B_" or title ew "%") and displayName pr', onlyA],
    ] as const) {
      expect([filter, await ids(filter)]).toEqual([filter, expected]);
    }
    const flagged = await client.send('GET', `${users.path}?aadOptscim062020`, {
      query: { filter: `id eq "${String(a['id'])}"` },
    });
    expect(flagged.body).toMatchObject({ totalResults: 1 });
  });

  it('24 compares times as times, whatever the zone they are written in', async () => {
    const { id, meta } = (await create()) as { id: string; meta: Json };
    const changed = Date.parse(String(meta['lastModified']));
    const inIndia = (time: number): string => new Date(time + 19_800_000).toISOString().replace('Z', '+05:30');
    const holds = async (operator: string, time: number): Promise<boolean> =>
      (await users.find(`id eq "${id}" and meta.lastModified ${operator} "${inIndia(time)}"`)).length === 1;
    for (const [operator, verdicts] of [
      ['gt', [true, false, false]],
      ['ge', [true, true, false]],
      ['eq', [false, true, false]],
      ['ne', [true, false, true]],
      ['le', [false, true, true]],
      ['lt', [false, false, true]],
    ] as const) {
      const found = [
        await holds(operator, changed - 1),
        await holds(operator, changed),
        await holds(operator, changed + 1),
      ];
      expect([operator, found]).toEqual([operator, verdicts]);
    }
  });

  it('54, 73 answers with an empty list where nothing matches', async () => {
    for (const attribute of ['userName', 'externalId', 'id', 'emails[type eq "work"].value', 'manager']) {
      const filter = `${attribute} eq "5b0d52cb-0f2d-4f33-8c55-6a4d3ad0a5a7"`;
      expect(await list({ filter, startIndex: 1, count: 100 })).toMatchObject({ totalResults: 0, Resources: [] });
    }
  });

  it('28, 29, 30 returns the attributes that are asked for', async () => {
    const { id } = await create({ title: 'Boss', name: { givenName: 'Jo', familyName: 'Li' } });
    for (const attributes of ['userName', 'username', `${USER}:userName`, ' userName , shoeSize']) {
      expect(Object.keys(await users.read(id, { attributes })).sort()).toEqual(['id', 'schemas', 'userName']);
    }
    const part = await users.read(id, { attributes: 'name.givenName' });
    expect(part).toEqual({ schemas: [USER], id, name: { givenName: 'Jo' } });
    const without = await users.read(id, { excludedAttributes: 'title,name.familyName,id' });
    expect(without).toMatchObject({ id, schemas: [USER], name: { givenName: 'Jo' } });
    for (const name of ['title', 'name.familyName']) expect(without).not.toHaveProperty(name);
    expectScimError(await users.get(id, { query: { attributes: 'id', excludedAttributes: 'title' } }), 400);
    const [listed] = await users.find(`id eq "${String(id)}"`, { attributes: 'title' });
    expect(listed).toEqual({ schemas: [USER], id, title: 'Boss' });
  });

  it('29 leaves the same attributes out of replies to writes', async () => {
    const userName = newPerson();
    const body = { userName, title: 'Boss', nickName: 'B' };
    const query = { excludedAttributes: 'title' };
    const made = await users.post(body, { query });
    const { id } = bodyOf(made);
    const replies = [
      made,
      await users.put(id, { ...body, nickName: 'C' }, { query }),
      await users.patchWith(id, [{ op: 'replace', path: 'nickName', value: 'D' }], { query }),
    ];
    for (const reply of replies) {
      expect(reply.body).toMatchObject({ id, userName, nickName: expect.any(String) });
      expect(reply.body).not.toHaveProperty('title');
    }
    expect(await users.read(id)).toMatchObject({ title: 'Boss', nickName: 'D' });
  });

  it('31, 32 sorts without regard to case, and searches by POST', async () => {
    const mark = `sort${Date.now()}`;
    for (const name of ['b', 'A', 'C', 'd']) await create({ userName: `${mark}-${name}` });
    const names = (body: unknown): string[] =>
      ((body as Json)['Resources'] as Json[]).map((user) => String(user['userName']).at(-1) ?? '');
    const query = { filter: `userName sw "${mark}"`, sortBy: 'userName' };
    expect(names(await list(query))).toEqual(['A', 'b', 'C', 'd']);
    const body = {
      schemas: [SEARCH_REQUEST],
      ...query,
      sortOrder: 'descending',
      startIndex: 2,
      count: 2,
      attributes: ['userName'],
    };
    const found = await client.send('POST', `${users.path}/.search`, { body });
    expect(found).toMatchObject({ status: 200, body: { totalResults: 4, startIndex: 2, itemsPerPage: 2 } });
    expect(names(found.body)).toEqual(['C', 'b']);
  });
});
