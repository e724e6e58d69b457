import 'reflect-metadata';
import { newAdmin, startFixture, type Fixture } from '../../testing/deployment-fixture';

describe('regions', () => {
  let platform: Fixture;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());

  it('are listed to whoever has a licence tier, also without deployments, and to nobody else', async () => {
    const nobody = { ...newAdmin(), isAdmin: false, deploymentIds: [] };
    expect(await platform.refusal(nobody, 'listRegions')).toBe('access.no_licence');
    const outsider = { ...nobody, grants: [{ action: 'AIBIView', deploymentIds: null }] };
    const reply = await platform.call(outsider, 'listRegions');
    expect(reply.items).toMatchObject([{ id: 1, name: 'local', provider: 'cubecloud' }]);
    expect(reply.data).toEqual(reply.items);
  });

  it('end after the last cursor while the legacy field keeps all of them', async () => {
    const { pageInfo } = await platform.call(newAdmin(), 'listRegions', { query: { first: 1 } });
    const reply = await platform.call(newAdmin(), 'listRegions', { query: { after: pageInfo.endCursor } });
    expect(reply).toMatchObject({ items: [], data: [{ name: 'local' }], pageInfo: { hasNextPage: false } });
  });
});
