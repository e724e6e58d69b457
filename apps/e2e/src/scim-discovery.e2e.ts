import { operation } from '@plinth/contract';
import { ENTERPRISE, findAttribute, GROUP, USER, type Attribute, type Schema } from '@plinth/scim-protocol';
import type { ApiClient } from './harness/api-client';
import { expectScimError, newPerson, ScimResources, type Json } from './harness/scim-resources';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const root = '/api/scim/v2';
const lists = ['Schemas', 'ResourceTypes'];
const kinds = ['work', 'home'];
/** Every attribute of a user that a client can write, with a value. */
const fullUser = {
  ...{ externalId: 'full', displayName: 'D', nickName: 'N', profileUrl: 'https://acme.test/d', title: 'T' },
  ...{ userType: 'U', preferredLanguage: 'en', locale: 'en-GB', timezone: 'Europe/London', active: true },
  name: {
    formatted: 'F',
    familyName: 'F',
    givenName: 'G',
    middleName: 'M',
    honorificPrefix: 'P',
    honorificSuffix: 'S',
  },
  ...Object.fromEntries(
    ['phoneNumbers', 'ims', 'photos', 'entitlements', 'roles', 'emails'].map((list) => [
      list,
      kinds.map((type) => ({ value: `${list}-${type}@acme.test`, display: type, type, primary: type === 'work' })),
    ]),
  ),
  addresses: [
    {
      formatted: 'F',
      streetAddress: 'S',
      locality: 'L',
      region: 'R',
      postalCode: 'P',
      country: 'C',
      display: 'A',
      type: 'work',
      primary: true,
    },
  ],
};
const facts = { employeeNumber: '1', costCenter: '2', organization: 'O', division: 'D', department: 'E' };

describe.each(onNats)('what SCIM says of itself: %s', (_name, start) => {
  let topology: Topology;
  let client: ApiClient;
  let anybody: ApiClient;

  beforeAll(async () => {
    topology = await start();
    const { token } = await topology.admin.call('createScimToken', { body: { name: 'Entra' } });
    client = topology.admin.as(`Bearer ${token}`);
    anybody = topology.admin.as(undefined);
  });
  afterAll(() => topology?.stop());

  it('14, 49 answers unknown paths, wrong methods and filters in the form of SCIM', async () => {
    expectScimError(await client.send('GET', `${root}/Nonsense`), 404);
    expectScimError(await client.send('PUT', `${root}/Users`, { body: { userName: 'a' } }), 405);
    expectScimError(await client.send('DELETE', `${root}/Groups`), 405);
    for (const list of lists) {
      expectScimError(await anybody.send('GET', `${root}/${list}/urn:unknown`), 404);
      expectScimError(await anybody.send('GET', `${root}/${list}`, { query: { filter: 'name eq "x"' } }), 403);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        expectScimError(await client.send(method, `${root}/${list}`, { body: {} }), 405);
      }
    }
    expectScimError(await client.send('POST', `${root}/ServiceProviderConfig`, { body: {} }), 405);
    expectScimError(await client.at('nobody.example').send('GET', `${root}/Nonsense`), 404);
  });

  it('125 says where each description is, by a whole address that leads to it', async () => {
    const { body: config } = await anybody.attempt('getScimServiceProviderConfig');
    const { Resources: schemas } = await anybody.call('listScimSchemas');
    const { Resources: types } = await anybody.call('listScimResourceTypes');
    const user = await new ScimResources(client, 'Users').create({ userName: newPerson() });
    const [base = ''] = String((user['meta'] as Json)['location']).split('/api/scim/v2/');
    expect(base).toMatch(/^https?:\/\//);
    for (const described of [config, ...schemas, ...types] as { meta: { location: string } }[]) {
      const [prefix, pathname = ''] = described.meta.location.split(/(?=\/api\/scim\/v2\/)/);
      expect(prefix).toBe(base);
      expect((await anybody.send('GET', pathname)).body).toEqual(described);
    }
  });

  it('49 describes schemas and kinds of resources to anybody, in the words of the RFC and without nulls', async () => {
    const list = await anybody.call('listScimSchemas');
    expect(list).toMatchObject({ totalResults: 3, itemsPerPage: 3, startIndex: 1 });
    expect(list.Resources.map(({ name }) => name)).toEqual(['User', 'EnterpriseUser', 'Group']);
    for (const schema of list.Resources) {
      expect(await anybody.call('getScimSchema', { path: { id: schema.id } })).toEqual(schema);
      for (const { subAttributes = [], ...attribute } of schema.attributes as unknown as Attribute[]) {
        for (const each of [attribute, ...subAttributes]) expectCharacteristics(each);
      }
    }
    const types = await anybody.call('listScimResourceTypes');
    expect(types.Resources).toMatchObject([
      { id: 'User', endpoint: '/Users', schema: USER, schemaExtensions: [{ schema: ENTERPRISE, required: false }] },
      { id: 'Group', endpoint: '/Groups', schema: GROUP },
    ]);
    expect(await anybody.call('getScimResourceType', { path: { id: 'User' } })).toEqual(types.Resources[0]);
    const config = await anybody.attempt('getScimServiceProviderConfig');
    expect(config.headers['content-type']).toBe('application/scim+json; charset=utf-8');
    expect(JSON.stringify([list, types, config.body])).not.toContain('null');
  });

  it('50, 121 has what its configuration says, and answers 501 to the parts that are left out', async () => {
    expectScimError(await client.send('POST', `${root}/Bulk`, { body: {} }), 501);
    expectScimError(await client.send('GET', `${root}/Me`), 501);
    expectScimError(await client.send('POST', `${root}/.search`, { body: {} }), 501);
    expect(await client.call('getScimServiceProviderConfig')).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 500 },
      sort: { supported: true },
      etag: { supported: true },
      changePassword: { supported: false },
      authenticationSchemes: [{ type: 'oauthbearertoken', primary: true }, {}],
    });
    const users = new ScimResources(client, 'Users');
    for (let made = 0; made < 2; made += 1) await users.create({ userName: newPerson() });
    const names = async (sortOrder: string): Promise<unknown[]> =>
      (await users.find('userName pr', { sortBy: 'userName', sortOrder })).map(({ userName }) => userName);
    expect(await names('descending')).toEqual((await names('ascending')).reverse());
    const [user] = await users.find('userName pr', { count: 501 });
    expect(await users.get(user?.['id'])).toMatchObject({ headers: { etag: (user?.['meta'] as Json)['version'] } });
    expect(operation('listScimUsers').access.credentials).toContain('scim-token');
  });

  it('128 declares what must be unique: ids, names and the address of the account, and not externalId', async () => {
    const { Resources } = await anybody.call('listScimSchemas');
    const unique = (Resources as unknown as Schema[]).flatMap(({ name, attributes }) =>
      attributes.flatMap((each) =>
        [each, ...(each.subAttributes ?? [])]
          .filter(({ uniqueness }) => uniqueness === 'server')
          .map((part) => [name, each.name, ...(part === each ? [] : [part.name])].join('.')),
      ),
    );
    const ids = ['User.id', 'Group.id'];
    expect(unique.sort()).toEqual([...ids, 'User.userName', 'User.emails.value', 'Group.displayName'].sort());
  });

  it('95 describes every attribute that it returns, and returns every attribute that it describes', async () => {
    const schemas = new Map(
      (await anybody.call('listScimSchemas')).Resources.map((each) => [each.id, each as unknown as Schema]),
    );
    const [users, groups] = [new ScimResources(client, 'Users'), new ScimResources(client, 'Groups')];
    const { id: manager } = await users.create({ userName: newPerson() });
    const { id } = await users.create({ userName: newPerson(), ...fullUser, [ENTERPRISE]: { ...facts, manager } });
    const group = await groups.create({ displayName: newPerson(), externalId: 'full', members: [{ value: id }] });
    const { [ENTERPRISE]: enterprise, ...core } = await users.read(id);
    const unreturned = ['password', 'manager.displayName'];
    for (const [urn, resource] of [
      [USER, core],
      [ENTERPRISE, enterprise],
      [GROUP, await groups.read(group['id'])],
    ] as const) {
      const described = schemas.get(urn)?.attributes ?? [];
      const returned = pathsIn(resource as Json).filter((path) => path !== 'schemas');
      expect(returned.filter((path) => !isDescribed(described, path))).toEqual([]);
      expect(described.flatMap(pathsOf).filter((path) => ![...returned, ...unreturned].includes(path))).toEqual([]);
    }
  });
});

const words: Record<string, readonly unknown[]> = {
  type: ['string', 'boolean', 'decimal', 'integer', 'dateTime', 'reference', 'complex'],
  mutability: ['readOnly', 'readWrite', 'immutable', 'writeOnly'],
  returned: ['always', 'never', 'default', 'request'],
  uniqueness: ['none', 'server', 'global'],
  multiValued: [true, false],
  required: [true, false],
  caseExact: [true, false],
};
const characteristics = [...Object.keys(words), 'name', 'description', 'canonicalValues', 'referenceTypes'];

function expectCharacteristics(attribute: Omit<Attribute, 'subAttributes'>): void {
  expect(characteristics).toEqual(
    expect.arrayContaining(Object.keys(attribute).filter((key) => key !== 'subAttributes')),
  );
  for (const [key, values] of Object.entries(words)) expect(values).toContain(attribute[key as keyof typeof attribute]);
}

/** Names of the attributes that a resource has, and of their parts. */
const pathsIn = (resource: Json): string[] => [
  ...new Set(
    Object.entries(resource).flatMap(([name, value]) => {
      const items = (Array.isArray(value) ? value : [value]) as unknown[];
      const parts = items.flatMap((item) => (typeof item === 'object' && item !== null ? Object.keys(item) : []));
      return [name, ...parts.map((part) => `${name}.${part}`)];
    }),
  ),
];

const pathsOf = ({ name, subAttributes = [] }: Attribute): string[] => [
  name,
  ...subAttributes.map((sub) => `${name}.${sub.name}`),
];

function isDescribed(attributes: readonly Attribute[], path: string): boolean {
  const [name = '', part] = path.split('.');
  const found = findAttribute(attributes, name);
  return found?.name === name && (part === undefined || findAttribute(found.subAttributes ?? [], part)?.name === part);
}
