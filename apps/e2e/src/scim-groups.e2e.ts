import type { ApiClient, ApiReply } from './harness/api-client';
import { otherTenant } from './harness/other-tenant';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Json = Record<string, unknown>;

const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const groups = '/api/scim/v2/Groups';
const users = '/api/scim/v2/Users';

let things = 0;
const newName = (what: string): string => `${what} ${(things += 1)}`;

describe.each(onNats)('groups by SCIM: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Entra' } });
    client = topology.admin.as(`Api-Key ${token}`);
  });
  afterAll(() => topology?.stop());

  const bodyOf = ({ body }: ApiReply): Json => body as Json;
  const newUser = async (): Promise<string> => {
    const body = { userName: `member-${(things += 1)}@acme.test` };
    return String(bodyOf(await client.send('POST', users, { body }))['id']);
  };
  const create = async (members: string[] = [], more: Json = {}): Promise<Json> => {
    const body = {
      schemas: [GROUP],
      displayName: newName('Group'),
      members: members.map((value) => ({ value })),
      ...more,
    };
    const reply = await client.send('POST', groups, { body });
    expect(reply.status).toBe(201);
    return bodyOf(reply);
  };
  const patch = (id: unknown, ...Operations: Json[]): Promise<ApiReply> =>
    client.send('PATCH', `${groups}/${String(id)}`, { body: { schemas: [PATCH], Operations } });
  const membersOf = async (id: unknown): Promise<unknown[]> => {
    const { members } = bodyOf(await client.send('GET', `${groups}/${String(id)}`));
    return (members as Json[]).map(({ value }) => value);
  };
  const find = async (filter: string): Promise<Json[]> => {
    const query = { filter, excludedAttributes: 'members' };
    const reply = await client.send('GET', groups, { query });
    expect([filter, reply.status]).toEqual([filter, 200]);
    return bodyOf(reply)['Resources'] as Json[];
  };
  const expectError = (reply: ApiReply, status: number, scimType?: string) =>
    expect(reply).toMatchObject({ status, body: { status: String(status), ...(scimType && { scimType }) } });

  it('51, 52, 53, 124 shows a membership from both ends, and ends it with either', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const { id, displayName, members } = await create([first, second]);
    expect(members).toMatchObject([
      { value: first, type: 'User', display: expect.any(String), $ref: expect.stringContaining(`/Users/${first}`) },
      {},
    ]);
    const shown = await client.send('GET', `${users}/${first}`);
    expect(shown.body).toMatchObject({ groups: [{ value: id, display: displayName }] });
    const groupAt = (etag = '') =>
      client.send('GET', `${groups}/${String(id)}`, { headers: { 'If-None-Match': etag } });
    const { etag } = (await groupAt()).headers;
    expect((await groupAt(etag)).status).toBe(304);
    expect((await client.send('DELETE', `${users}/${second}`)).status).toBe(204);
    expect((await groupAt(etag)).status).toBe(200);
    expect(await membersOf(id)).toEqual([first]);
    expect((await client.send('DELETE', `${groups}/${String(id)}`)).status).toBe(204);
    const headers = { 'If-None-Match': shown.headers['etag'] ?? '' };
    const after = await client.send('GET', `${users}/${first}`, { headers });
    expect(after.status).toBe(200);
    expect(after.body).not.toHaveProperty('groups');
  });

  it('51 refuses a group with an unknown member as a whole', async () => {
    const displayName = newName('Group');
    for (const value of ['999999999', 'not-an-id']) {
      const reply = await client.send('POST', groups, { body: { displayName, members: [{ value }] } });
      expectError(reply, 400, 'invalidValue');
    }
    expect(await find(`displayName eq "${displayName}"`)).toEqual([]);
  });

  it('64, 84, 96 creates a group once under a name, whatever its case', async () => {
    const other = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group';
    const { displayName, members } = await create([], { schemas: [GROUP, other] });
    expect(members).toEqual([]);
    const body = { displayName: String(displayName).toUpperCase() };
    expectError(await client.send('POST', groups, { body }), 409, 'uniqueness');
  });

  it('65, 89 renames without touching members', async () => {
    const member = await newUser();
    const { id } = await create([member]);
    const displayName = newName('Renamed');
    const reply = await patch(id, { op: 'replace', value: { id, displayName } });
    expect([reply.status, reply.body]).toEqual([204, undefined]);
    const externalId = newName('external');
    await patch(id, { op: 'Replace', path: 'externalId', value: externalId });
    expect(await find(`externalId eq "${externalId}"`)).toMatchObject([{ id, displayName }]);
    expect(await membersOf(id)).toEqual([member]);
  });

  it('66, 67, 86, 87, 88 changes members as both providers do', async () => {
    const [a, b, c] = [await newUser(), await newUser(), await newUser()];
    const { id } = await create([a]);
    const refs = (...ids: string[]): Json[] => ids.map((value) => ({ $ref: null, value }));
    const steps: [Json[], string[]][] = [
      [
        [
          { op: 'remove', path: `members[value eq "${a}"]` },
          { op: 'add', path: 'members', value: [{ value: b, display: 'x' }] },
        ],
        [b],
      ],
      [[{ op: 'Add', path: 'members', value: refs(c, a) }], [b, a, c]],
      [[{ op: 'Add', path: 'members', value: refs(c) }], [b, a, c]],
      [[{ op: 'Remove', path: 'members', value: refs(c) }], [b, a]],
      [[{ op: 'Remove', path: 'members', value: refs(c) }], [b, a]],
      [
        [
          { op: 'add', path: 'members', value: c },
          { op: 'Remove', path: 'members', value: refs(a, b) },
        ],
        [c],
      ],
      [[{ op: 'replace', path: 'members', value: refs(a, b, c) }], [a, b, c]],
      [[{ op: 'replace', path: 'members', value: [] }], []],
      [[{ op: 'add', path: 'members', value: refs(a) }], [a]],
      [[{ op: 'replace', value: { members: [], id, displayName: newName('Empty') } }], []],
    ];
    for (const [operations, expected] of steps) {
      expect((await patch(id, ...operations)).status).toBe(204);
      expect((await membersOf(id)).sort()).toEqual([...expected].sort());
    }
  });

  it('88 removes twenty members in one operation', async () => {
    const ids = await Promise.all(Array.from({ length: 21 }, newUser));
    const { id } = await create(ids);
    const value = ids.slice(1).map((each) => ({ value: each }));
    expect((await patch(id, { op: 'Remove', path: 'members', value })).status).toBe(204);
    expect(await membersOf(id)).toEqual(ids.slice(0, 1));
  });

  it('38 has the version of before when nobody came or went', async () => {
    const member = await newUser();
    const { id, meta } = await create([member]);
    const repeat = { op: 'add', path: 'members', value: [{ value: member }] };
    const absent = { op: 'remove', path: `members[value eq "${await newUser()}"]` };
    expect((await patch(id, repeat, absent)).status).toBe(204);
    expect(bodyOf(await client.send('GET', `${groups}/${String(id)}`))).toMatchObject({ meta });
  });

  it('114 never empties a group by mistake', async () => {
    const member = await newUser();
    const { id } = await create([member]);
    for (const value of [[], '', null, [{}], [{ value: '' }], { display: 'x' }]) {
      expectError(await patch(id, { op: 'Remove', path: 'members', value }), 400, 'invalidValue');
    }
    const put = await client.send('PUT', `${groups}/${String(id)}`, { body: { displayName: newName('Put') } });
    expect(put.status).toBe(200);
    expect(await membersOf(id)).toEqual([member]);
  });

  it('68, 69 replaces a group with its members, and deletes it', async () => {
    const [a, b] = [await newUser(), await newUser()];
    const { id, displayName } = await create([a]);
    const path = `${groups}/${String(id)}`;
    const put = await client.send('PUT', path, { body: { displayName, members: [{ value: b }] } });
    expect(put).toMatchObject({ status: 200, body: { members: [{ value: b }] } });
    expect((await client.send('DELETE', path)).status).toBe(204);
    expectError(await client.send('DELETE', path), 404);
    expectError(await client.send('PUT', path, { body: { displayName } }), 404);
  });

  it('72, 85, 90 finds groups by name and by member, without reading members', async () => {
    const member = await newUser();
    const displayName = newName('Sales (EMEA) and [all] "of" it');
    const { id } = await create([member], { displayName });
    expect(await find(`displayName eq ${JSON.stringify(displayName.toUpperCase())}`)).toMatchObject([{ id }]);
    expect((await find(`displayName eq ${JSON.stringify(displayName)}`))[0]).not.toHaveProperty('members');
    for (const attribute of ['members', 'members.value']) {
      expect(await find(`id eq "${String(id)}" and ${attribute} eq "${member}"`)).toHaveLength(1);
      expect(await find(`id eq "${String(id)}" and ${attribute} eq "1"`)).toEqual([]);
    }
    expect(await find(`members[value eq "${member}"]`)).toMatchObject([{ id }]);
    const query = { excludedAttributes: 'members' };
    expect((await client.send('GET', `${groups}/${String(id)}`, { query })).body).not.toHaveProperty('members');
  });

  it("107 neither shows nor takes another tenant's users and groups", async () => {
    const { id } = await create();
    const member = await newUser();
    const { name, host } = await otherTenant(topology);
    const { scimToken } = await topology.plinth('scim-tokens', 'create', '--tenant', name);
    const stranger = client.at(host, `Bearer ${String(scimToken)}`);
    for (const path of [`${groups}/${String(id)}`, `${users}/${member}`]) {
      expectError(await stranger.send('GET', path), 404);
      expectError(await stranger.send('DELETE', path), 404);
    }
    const body = { displayName: 'Theirs', members: [{ value: member }] };
    expectError(await stranger.send('POST', groups, { body }), 400, 'invalidValue');
    const urn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    const managed = { userName: 'managed@acme.test', [urn]: { manager: { value: member } } };
    const reply = await stranger.send('POST', users, { body: managed });
    expect(bodyOf(reply)[urn]).toEqual({
      manager: {
        value: member,
        $ref: expect.stringMatching(new RegExp(`^https?://${host.replaceAll('.', '\\.')}.*/Users/${member}$`)),
      },
    });
    const { userName } = bodyOf(await client.send('GET', `${users}/${member}`));
    expect((await stranger.send('POST', users, { body: { userName } })).status).toBe(201);
  });

  it('116 links a pushed group to nothing privileged by its name', async () => {
    const member = await newUser();
    await create([member], { displayName: 'Admin' });
    expectError(await client.send('POST', groups, { body: { displayName: 'all_embed_users' } }), 400, 'invalidValue');
    const { items } = await topology.admin.call('getUsers');
    expect(items.find(({ id }) => String(id) === member)).toMatchObject({ isAdmin: false, defaultRoles: ['Viewer'] });
  });
});
