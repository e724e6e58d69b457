import 'reflect-metadata';
import { startEmbed, type EmbedFixture, type TestAccount } from '../testing/embed-fixture';

describe('embed tenants', () => {
  let platform: EmbedFixture;
  let account: TestAccount;

  beforeAll(async () => {
    platform = await startEmbed();
  });
  afterAll(() => platform?.stop());
  beforeEach(() => {
    account = platform.newAccount();
  });

  const provision = (embedTenantName: string, externalId = 'ada') =>
    platform.call(account.admin, 'provisionEmbedUser', { path: { embedTenantName }, body: { externalId } });
  const list = (query: object = {}) => platform.call(account.admin, 'listEmbedTenants', { query });
  const names = async (query: object = {}) => (await list(query)).items.map(({ name }) => name);
  const remove = (embedTenantName: string) =>
    platform.call(account.admin, 'deleteEmbedTenant', { path: { embedTenantName } });
  const groupsOf = (embedTenantName: string) =>
    platform.call(account.admin, 'getGroups', { path: { embedTenantName } });

  it.each(['getGroups', 'listEmbedUsers'] as const)('are not made by looking at them (%s)', async (operationId) => {
    const path = { embedTenantName: 'acme' };
    expect(await platform.refusal(account.admin, operationId, { path })).toEqual({
      status: 404,
      code: 'embed_tenant.not_found',
    });
    expect(await names()).toEqual([]);
  });

  it("are no other account's", async () => {
    await provision('acme');
    const stranger = platform.newAccount().admin;
    expect((await platform.call(stranger, 'listEmbedTenants')).items).toEqual([]);
    const path = { embedTenantName: 'acme' };
    expect(await platform.refusal(stranger, 'listEmbedUsers', { path })).toMatchObject({ status: 404 });
    await platform.call(stranger, 'deleteEmbedTenant', { path });
    expect(await names()).toEqual(['acme']);
  });

  it('come into being when they are first used, once, and whatever the case of their names', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_none, index) => provision(index % 2 ? 'Acme' : 'acme', `u${index}`)),
    );
    const path = { embedTenantName: 'ZETA' };
    await platform.call(account.admin, 'createGroup', { path, body: { name: 'Planners' } });
    expect((await list()).items).toMatchObject([
      { name: 'acme', displayName: null, userCount: 20, createdAt: expect.any(String) },
      { name: 'zeta', userCount: 0 },
    ]);
  });

  it('are listed by name, page by page, and found by a part of it, taken literally', async () => {
    for (const name of ['beta', 'acme-two', 'acme']) await provision(name);
    const first = await list({ first: 2 });
    expect(first.items.map(({ name }) => name)).toEqual(['acme', 'acme-two']);
    expect(await names({ first: 2, after: first.pageInfo.endCursor })).toEqual(['beta']);
    expect(await names({ search: 'CME-' })).toEqual(['acme-two']);
    expect(await names({ search: 'a_me' })).toEqual([]);
  });

  it('go with their users and groups, and as often as one likes', async () => {
    const path = { embedTenantName: 'acme' };
    await platform.call(account.admin, 'createGroup', { path, body: { name: 'Planners' } });
    const body = { externalId: 'ada', tenantGroups: ['Planners'] };
    const { id } = await platform.call(account.admin, 'provisionEmbedUser', { path, body });
    await provision('other');
    await Promise.all([remove('acme'), remove('acme')]);
    expect(await remove('acme')).toBeUndefined();
    expect(await names()).toEqual(['other']);
    expect((await provision('acme')).id).not.toBe(id);
    expect((await groupsOf('acme')).items).toEqual([]);
  });

  it('are whole for whoever is provisioned while they are deleted', async () => {
    for (let round = 0; round < 5; round += 1) {
      const outcomes = Array.from({ length: 8 }, (_none, index) =>
        index % 4 === 3
          ? remove('acme')
          : provision('acme', `u${index}`).then(({ id }) => expect(id).toBeGreaterThan(0)),
      );
      await Promise.all(outcomes);
    }
    await provision('acme');
    expect((await groupsOf('acme')).items).toEqual([]);
  });
});
