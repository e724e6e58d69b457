import type { ApiClient, ApiReply } from './harness/api-client';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

type Json = Record<string, unknown>;

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const groups = '/api/scim/v2/Groups';
const users = '/api/scim/v2/Users';
const parallel = 10;

let things = 0;
const newName = (what: string): string => `${what}-${(things += 1)}@scale.test`;

/** What is large is measured by the bench; here is what has to hold however large it is. */
describe.each(onNats)('SCIM under load: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Scale' } });
    client = topology.admin.as(`Bearer ${token}`);
  });
  afterAll(() => topology?.stop());

  const bodyOf = ({ body }: ApiReply): Json => body as Json;
  const times = <T>(count: number, make: (at: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_each, at) => make(at)));
  const newUser = async (): Promise<string> => {
    const reply = await client.send('POST', users, { body: { userName: newName('user') } });
    expect(reply.status).toBe(201);
    return String(bodyOf(reply)['id']);
  };
  const newGroup = async (...members: string[]): Promise<string> => {
    const body = { displayName: newName('group'), members: members.map((value) => ({ value })) };
    const reply = await client.send('POST', groups, { body });
    expect(reply.status).toBe(201);
    return String(bodyOf(reply)['id']);
  };
  const patch = (path: string, ...Operations: Json[]): Promise<ApiReply> =>
    client.send('PATCH', path, { body: { schemas: [PATCH], Operations } });
  const addMember = (groupId: string, value: string): Promise<ApiReply> =>
    patch(`${groups}/${groupId}`, { op: 'add', path: 'members', value: [{ value }] });
  const membersOf = async (groupId: string): Promise<unknown[]> => {
    const { members } = bodyOf(await client.send('GET', `${groups}/${groupId}`));
    return (members as Json[]).map(({ value }) => value);
  };

  it('12, 85, 100 writes a group with its members, without them, and not at all when it is known', async () => {
    const [first, second] = [await newUser(), await newUser()];
    const path = `${groups}/${await newGroup(first, second)}`;
    const whole = await client.send('GET', path);
    expect(whole.headers['content-type']).toBe('application/scim+json; charset=utf-8');
    expect(whole.body).toMatchObject({
      members: [
        { value: first, type: 'User' },
        { value: second, type: 'User' },
      ],
    });
    const { etag = '' } = whole.headers;
    expect(etag).toBe((bodyOf(whole)['meta'] as Json)['version']);
    const known = await client.send('GET', path, { headers: { 'If-None-Match': etag } });
    expect([known.status, known.body, known.headers['etag']]).toEqual([304, undefined, etag]);
    await patch(path, { op: 'remove', path: `members[value eq "${first}"]` });
    expect((await client.send('GET', path, { headers: { 'If-None-Match': etag } })).status).toBe(200);
    const bare = await client.send('GET', path, { query: { excludedAttributes: 'members' } });
    expect(bare.body).toMatchObject({ displayName: expect.any(String) });
    expect(bare.body).not.toHaveProperty('members');
    const ids = await client.send('GET', path, { query: { attributes: 'members.value' } });
    expect(ids.body).toEqual({ schemas: expect.any(Array), id: expect.any(String), members: [{ value: second }] });
    const rest = await client.send('GET', path, { query: { excludedAttributes: 'members.$ref,members.display' } });
    expect(rest.body).toMatchObject({ members: [{ value: second, type: 'User' }] });
    expect((rest.body as { members: Json[] }).members[0]).not.toHaveProperty('$ref');
  });

  it('15, 94, 100 lists groups in any order, each with its own members', async () => {
    const ids = [await newUser(), await newUser(), await newUser()];
    const expected = new Map<string, string[]>();
    for (const members of [[], ids, [], ids.slice(1), []]) expected.set(await newGroup(...members), members);
    const from = Number([...expected.keys()][0]);
    for (const sortOrder of ['ascending', 'descending']) {
      const query = { sortBy: 'displayName', sortOrder, startIndex: 1, count: 500 };
      const list = bodyOf(await client.send('GET', groups, { query }));
      const found = list['Resources'] as { id: string; members: Json[] }[];
      expect(list).toMatchObject({ startIndex: 1, totalResults: found.length, itemsPerPage: found.length });
      const ours = found.filter(({ id }) => Number(id) >= from);
      const members = new Map(ours.map((group) => [group.id, group.members.map(({ value }) => value)]));
      expect(members).toEqual(expected);
    }
    const none = await client.send('POST', `${groups}/.search`, { body: { filter: 'displayName eq "nobody"' } });
    expect(none).toMatchObject({ status: 200, body: { totalResults: 0, itemsPerPage: 0, Resources: [] } });
  });

  it(`101 answers ${parallel} clients that create users, change them and their groups at once`, async () => {
    const shared = await newGroup();
    const statuses = await times(parallel, async () => {
      const id = await newUser();
      const own = patch(`${users}/${id}`, { op: 'replace', path: 'title', value: 'Engineer' });
      const listed = client.send('GET', users, { query: { filter: `id eq "${id}"` } });
      const replies = await Promise.all([addMember(shared, id), own, listed]);
      const left = await patch(`${groups}/${shared}`, { op: 'remove', path: `members[value eq "${id}"]` });
      return [...replies, left].map(({ status }) => status);
    });
    expect(statuses).toEqual(statuses.map(() => [204, 200, 200, 204]));
    expect(await membersOf(shared)).toEqual([]);
  });

  it(`102 keeps each of ${parallel} members that are added at once, and one of as many equal names`, async () => {
    const members = await times(parallel, newUser);
    const group = await newGroup();
    const replies = await Promise.all(members.map((id) => addMember(group, id)));
    expect(replies.map(({ status }) => status)).toEqual(members.map(() => 204));
    expect((await membersOf(group)).sort()).toEqual([...members].sort());
    const body = { userName: newName('racer') };
    const races = await times(parallel, () => client.send('POST', users, { body }));
    expect(races.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: parallel - 1 }, () => 409)]);
  });

  it('103 takes 5 MB of members, and refuses what is larger than the limit', async () => {
    const ids = await times(3, newUser);
    const group = await newGroup();
    const path = `${groups}/${group}`;
    const displayName = newName('group');
    const bodyWith = (count: number) => ({
      displayName,
      members: Array.from({ length: count }, (_each, at) => ({
        value: ids[at % ids.length],
        $ref: `https://tenant.example.test/api/scim/v2/Users/${at}`.padEnd(180, '-'),
        display: `Member ${at} of the group`,
        type: 'User',
      })),
    });
    const body = bodyWith(20_000);
    expect(JSON.stringify(body).length).toBeGreaterThan(5_000_000);
    const reply = await client.send('PUT', path, { body, query: { excludedAttributes: 'members' } });
    expect([reply.status, bodyOf(reply)['displayName']]).toEqual([200, displayName]);
    expect((await membersOf(group)).sort()).toEqual([...ids].sort());
    // The connection ends with the refusal, maybe before everything was sent.
    const refused = await client.send('PUT', path, { body: bodyWith(45_000) }).catch(() => undefined);
    if (refused) expect(refused).toMatchObject({ status: 413, body: { status: '413', schemas: [expect.any(String)] } });
    expect((await membersOf(group)).sort()).toEqual([...ids].sort());
  });

  it('105 answers filters that are long, deep or have many branches', async () => {
    const search = (filter: string) => client.send('POST', `${users}/.search`, { body: { filter } });
    const pairs = Array.from({ length: 20 }, (_each, at) => `(userName eq "a${at}" or externalId eq "b${at}")`);
    for (const filter of [`userName eq "${'x'.repeat(4_000)}"`, pairs.join(' and ')]) {
      expect(await search(filter)).toMatchObject({ status: 200, body: { totalResults: 0, Resources: [] } });
    }
    const deep = (depth: number) => `${'('.repeat(depth)}active eq true${')'.repeat(depth)}`;
    const refused = [deep(1_000), deep(2_000), '('.repeat(4_000), 'not ('.repeat(800), pairs.join(' and ').repeat(3)];
    for (const filter of refused) {
      expect(await search(filter)).toMatchObject({ status: 400, body: { status: '400', scimType: 'invalidFilter' } });
    }
    for (const filter of [`userName eq "${'x'.repeat(5_000)}"`, deep(5_000)]) {
      expect(await search(filter)).toMatchObject({ status: 400, body: { status: '400' } });
    }
  });
});
