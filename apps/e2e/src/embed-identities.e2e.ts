import { uniqueName } from './harness/story';
import { otherTenant } from './harness/other-tenant';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

const many = (count: number): { externalId: string }[] =>
  Array.from({ length: count }, (_none, index) => ({ externalId: `user-${index}` }));

describe.each(onNats)('embed tenants, their users and groups: %s', (_name, start) => {
  let topology: Topology;
  const base = '/api/v1/embed-tenants';

  beforeAll(async () => {
    topology = await start();
  });
  afterAll(() => topology?.stop());

  const send = (method: string, target: string, body?: object) =>
    topology.admin.send(method, `${base}${target}`, body === undefined ? {} : { body });

  it.each([
    ['POST', '/acme/users', { users: many(101) }],
    ['POST', '/acme/users', { users: [] }],
    ['POST', '/acme/groups/1/users', { members: many(1_001) }],
    ['DELETE', '/acme/groups/1/users', { members: [] }],
    ['POST', '/acme/user', { externalId: ' ' }],
    ['POST', '/acme/user', { externalId: 'ada', email: 'nobody' }],
    ['POST', '/acme/user', { externalId: 'ada', userProfile: { picture: 'javascript:alert(1)' } }],
    ['POST', '/4acme/user', { externalId: 'ada' }],
    ['POST', '/acme-/user', { externalId: 'ada' }],
    ['POST', '/acme/groups', { name: 'system:tenant:acme' }],
    ['DELETE', '/Acme', undefined],
  ])('%s %s with bad input: 400, and nothing is made', async (method, target, body) => {
    expect((await send(method, target, body)).status).toBe(400);
    expect((await topology.admin.call('listEmbedTenants')).items).toEqual([]);
  });

  it('are out of reach of other tenants', async () => {
    await send('POST', '/acme/user', { externalId: 'ada' });
    const { admin: stranger } = await otherTenant(topology);
    expect((await stranger.call('listEmbedTenants')).items).toEqual([]);
    expect((await stranger.send('GET', `${base}/acme/users`)).status).toBe(404);
    expect((await stranger.send('DELETE', `${base}/acme`)).status).toBe(204);
    expect((await topology.admin.call('listEmbedTenants')).items).toMatchObject([{ name: 'acme', userCount: 1 }]);
  });

  it('are no members of the account', async () => {
    const externalId = uniqueName('person').toLowerCase();
    const email = `${externalId.replaceAll(' ', '-')}@customer.test`;
    await send('POST', '/acme/user', { externalId, email });
    const { items } = await topology.admin.call('getUsers', { query: { search: 'customer.test' } });
    expect(items).toEqual([]);
    const { scimToken } = await topology.plinth('scim-tokens', 'create', '--tenant', topology.tenant);
    const provider = topology.admin.as(`Bearer ${String(scimToken)}`);
    const filter = encodeURIComponent(`userName eq "${externalId}" or emails.value eq "${email}"`);
    const found = await provider.send('GET', `/api/scim/v2/Users?filter=${filter}`);
    expect(found).toMatchObject({ status: 200, body: { totalResults: 0 } });
  });

  it('have groups of the account as long as there are these', async () => {
    const name = uniqueName('Group');
    const { id } = await topology.admin.call('createUserGroup', { body: { name } });
    expect((await send('POST', '/acme/user', { externalId: 'ada', groups: [name] })).status).toBe(200);
    await topology.admin.call('deleteUserGroup', { path: { id } });
    const refused = await send('POST', '/acme/user', { externalId: 'ada', groups: [name] });
    expect(refused).toMatchObject({ status: 400, body: { code: 'user_group.unknown_name' } });
    expect(refused.body).toMatchObject({ message: expect.stringContaining(name) });
  });

  it('are refused while the account has embedding switched off, and deleted with or without a slash at the end', async () => {
    await topology.admin.call('updateTenantSettings', { body: { embeddingEnabled: false } });
    expect(await send('DELETE', '/acme')).toMatchObject({ status: 403, body: { code: 'embedding.off' } });
    await topology.admin.call('updateTenantSettings', { body: { embeddingEnabled: true } });
    expect((await send('POST', '/Acme/groups/', { name: 'Planners' })).status).toBe(200);
    for (const target of ['/acme/', '/acme']) expect((await send('DELETE', target)).status).toBe(204);
    expect((await topology.admin.call('listEmbedTenants')).items).toEqual([]);
  });
});
