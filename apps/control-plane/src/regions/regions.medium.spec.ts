import 'reflect-metadata';
import { newAdmin, startFixture, type Fixture } from '../deployments/deployment-fixture';

describe('regions', () => {
  let platform: Fixture;

  beforeAll(async () => {
    platform = await startFixture();
  });
  afterAll(() => platform.stop());

  it('are listed to any credential, also one without deployments', async () => {
    const outsider = { ...newAdmin(), isAdmin: false, deploymentIds: [] };
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
