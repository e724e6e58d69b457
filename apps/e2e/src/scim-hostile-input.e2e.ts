import { randomBytes } from 'node:crypto';
import { ENTERPRISE, USER } from '@plinth/scim-protocol';
import { boundMs } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { expectScimError, newPerson, ScimResources, type Json } from './harness/scim-resources';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

/** Texts that a database, a pattern or an object could take for something else. */
const literal = [
  `'; drop table user_account; --`,
  `' or 1=1 --`,
  '100% _sure\\',
  '$1',
  '{{7*7}}',
  '__proto__',
  'constructor',
];
const unstorable = ['a\u0000b', 'a\ud800b'];
/** Too long to be a key of an index, even compressed. */
const endless = randomBytes(3_000).toString('hex');

describe.each(onNats)('hostile input to SCIM: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;
  let users: ScimResources;
  let groups: ScimResources;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Okta' } });
    client = topology.admin.as(`Bearer ${token}`);
    users = new ScimResources(client, 'Users');
    groups = new ScimResources(client, 'Groups');
  });
  afterAll(() => topology?.stop());

  it('105 answers long, deep and wide filters within a moment', async () => {
    const pairs = Array.from({ length: 20 }, (_each, at) => `(userName eq "a${at}" or title eq "b")`).join(' and ');
    const begun = performance.now();
    expect(await users.find(pairs)).toEqual([]);
    for (const filter of [
      '('.repeat(4_000),
      `userName eq "${'x'.repeat(5_000)}"`,
      `${'not ('.repeat(800)}active eq true`,
    ]) {
      expectScimError(await users.list({ filter }), 400, 'invalidFilter');
    }
    expect(performance.now() - begun).toBeLessThan(boundMs(5_000));
  });

  it.each(literal)('112 keeps %p as a text like any other', async (text) => {
    const userName = `${text} ${newPerson()}`;
    const { id } = await users.create({ userName, title: text, [ENTERPRISE]: { department: text } });
    expect(await users.read(id)).toMatchObject({ userName, title: text, [ENTERPRISE]: { department: text } });
    for (const [attribute, value] of [
      ['userName', userName],
      ['title', text],
      ['department', text],
    ]) {
      expect(await users.find(`${attribute} eq ${JSON.stringify(value)} and id eq "${String(id)}"`)).toHaveLength(1);
    }
    expect(await users.find(`title eq ${JSON.stringify(text)} and id eq "0"`)).toEqual([]);
    const group = await groups.create({ displayName: userName });
    expect(await groups.find(`displayName eq ${JSON.stringify(userName)}`)).toMatchObject([{ id: group['id'] }]);
  });

  it.each(unstorable)('112 refuses %j wherever it is', async (text) => {
    const { id } = await users.create({ userName: newPerson() });
    const fact = `fact${Date.now()}${text.charCodeAt(1)}`;
    await topology.admin.call('createUserAttribute', { body: { name: fact, type: 'string' } });
    const path = `urn:cube:params:1.0:UserAttribute:${fact}`;
    for (const body of [
      { userName: text },
      { userName: newPerson(), title: text },
      { userName: newPerson(), [path]: text },
    ]) {
      expectScimError(await users.post(body), 400, 'invalidValue');
    }
    expectScimError(await users.patch(id, { op: 'replace', path: 'title', value: text }), 400, 'invalidValue');
    expectScimError(await users.patch(id, { op: 'replace', path, value: text }), 400, 'invalidValue');
    expectScimError(await groups.post({ displayName: text }), 400, 'invalidValue');
    expectScimError(await groups.post({ displayName: newPerson(), members: [{ value: text }] }), 400, 'invalidValue');
    for (const filter of [`userName eq ${JSON.stringify(text)}`, `title co ${JSON.stringify(text)}`]) {
      expectScimError(await users.list({ filter }), 400, 'invalidFilter');
    }
  });

  it('112 refuses names that are too long to be found by', async () => {
    for (const body of [
      { userName: endless },
      { userName: newPerson(), externalId: endless },
      { userName: newPerson(), emails: [{ value: endless }] },
    ]) {
      expectScimError(await users.post(body), 400, 'invalidValue');
    }
    expectScimError(await groups.post({ displayName: endless }), 400, 'invalidValue');
    expectScimError(await groups.post({ displayName: newPerson(), externalId: endless }), 400, 'invalidValue');
    expect(await users.find(`userName eq "${endless.slice(0, 4_000)}"`)).toEqual([]);
    expect(await users.create({ userName: newPerson(), title: endless })).toMatchObject({ title: endless });
  });

  it('112 leaves nothing behind of keys that belong to objects themselves', async () => {
    const odd = (keys: string): Json => JSON.parse(`{"userName":"${newPerson()}",${keys}}`) as Json;
    const bodies = [
      '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}',
      `"${USER}:__proto__":"x","name":{"__proto__":{"polluted":1},"constructor":"x"},"name.__proto__":"x"`,
      `"emails":[{"value":"${newPerson()}","__proto__":{"polluted":1}}],"${ENTERPRISE}":{"__proto__":{"polluted":1}}`,
    ];
    for (const keys of bodies) {
      const { id } = await users.create(odd(keys));
      const shown = JSON.stringify(await users.read(id));
      for (const trace of ['polluted', '__proto__', 'constructor']) expect(shown).not.toContain(trace);
    }
    const { id, ...plain } = await users.create({ userName: newPerson() });
    expect(Object.keys(plain).sort()).toEqual(['active', 'meta', 'schemas', 'userName']);
    for (const path of ['__proto__', 'constructor.prototype', 'name.__proto__', '__proto__[type eq "x"]']) {
      expectScimError(await users.patch(id, { op: 'replace', path, value: { polluted: '1' } }), 400, 'invalidPath');
      expectScimError(await users.list({ filter: `${path} eq "1"` }), 400, 'invalidFilter');
    }
    const value = odd('"title":"T","__proto__":{"polluted":1},"toString":"x"');
    expect(await users.patch(id, { op: 'replace', value })).toMatchObject({ status: 200, body: { title: 'T' } });
    for (const attributes of ['__proto__', 'constructor', 'toString']) {
      expect(Object.keys(await users.read(id, { attributes }))).toEqual(['schemas', 'id']);
    }
    expect(Object.keys(await users.read(id)).sort()).toEqual(['active', 'id', 'meta', 'schemas', 'title', 'userName']);
  });
});
