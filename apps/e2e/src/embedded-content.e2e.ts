import type { BodyOf } from '@plinth/contract';
import { until, type TestDatabase } from '@plinth/testing';
import type { ApiClient } from './harness/api-client';
import { createShopDatabase, Shop } from './harness/shop';
import { onNats } from './harness/topologies';
import type { Topology } from './harness/topology';

/** Orders, of which everybody sees those of customers in the city of their session. */
const ownOrders = {
  path: 'model/cubes/own_orders.js',
  content: `cube('own_orders', {
    sql: 'select o.id, c.city from orders o join customers c on c.id = o.customer_id',
    dimensions: { id: { sql: 'id', type: 'number', primary_key: true }, city: { sql: 'city', type: 'string' } },
    measures: { count: { type: 'count' } },
    access_policy: [{ group: '*', row_level: { filters: [
      { member: 'city', operator: 'equals', values: [securityContext.city] }] } }],
  });\n`,
};
const query = { measures: ['own_orders.count'], dimensions: ['own_orders.city'] };

interface Data {
  widgets: { data: { rows: Record<string, unknown>[] } | null; error: unknown }[];
}

describe.each(onNats)('embedded content: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let database: TestDatabase;
  let shop: Shop;
  let workbookId: number;
  let publicId: string;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    database = await createShopDatabase();
    shop = await Shop.open(admin, database, [ownOrders]);
    workbookId = (await admin.call('createWorkbook', { path: shop.path, body: { name: 'Orders' } })).id;
    const report = { name: 'By city', workbookId, jsonQuery: JSON.stringify(query) };
    const { id: reportId } = await admin.call('createReport', { path: shop.path, body: report });
    const position = { x: 0, y: 0, w: 6, h: 4 };
    const widgets = [{ id: 'a', type: 'CHART' as const, position, config: { reportId } }];
    const path = { ...shop.path, workbookId };
    ({ publicId } = await admin.call('publishDashboard', { path, body: { workbookId, config: { widgets } } }));
  });
  afterAll(() => database?.drop());

  async function session(externalId: string, more: Partial<BodyOf<'generateSession'>> = {}): Promise<ApiClient> {
    const { deploymentId } = shop.path;
    const body = { deploymentId, externalId, embedTenantName: 'acme', ...more };
    const { sessionId } = await admin.call('generateSession', { body });
    const { token } = await admin.as(undefined).call('postTokenBySessionId', { body: { sessionId } });
    return admin.as(`Bearer ${token}`);
  }

  const share = (body: BodyOf<'updateEmbedAccess'>) =>
    admin.call('updateEmbedAccess', { path: { ...shop.path, workbookId }, body });

  async function cities(who: ApiClient, of = workbookId): Promise<unknown[]> {
    const address = `/api/v1/deployments/${shop.path.deploymentId}/workbooks/${of}/dashboard/data`;
    const { status, body } = await who.send('POST', address, { body: {} });
    expect(status).toBe(200);
    const { widgets } = body as unknown as Data;
    expect(widgets).toMatchObject([{ error: null }]);
    return (widgets[0]?.data?.rows ?? []).map((row) => row['own_orders.city']);
  }

  it('shows two embed users of one dashboard their own rows, as soon as it is shared and no longer', async () => {
    const ada = await session('ada', { securityContext: { city: 'Lyon' } });
    const eve = await session('eve', { securityContext: { city: 'Pune' } });
    const stranger = await session('mallory', { embedTenantName: 'globex', securityContext: { city: 'Lyon' } });
    const get = (who: ApiClient) => who.send('GET', `/api/v1/embed/dashboard/${publicId}`);
    expect((await get(ada)).status).toBe(404);
    await share({ embedTenantName: 'acme', action: 'read' });
    expect((await get(ada)).status).toBe(403);
    await share({ allowEmbed: true });
    expect(await get(ada)).toMatchObject({ status: 200, body: { publicId, fromSharedWorkspace: true } });
    expect((await get(stranger)).status).toBe(404);
    expect([await cities(ada), await cities(eve)]).toEqual([['Lyon'], ['Pune']]);
    await share({ embedTenantName: 'acme', action: 'none' });
    expect((await get(ada)).status).toBe(404);
  });

  it('lets embed users in creator mode copy it, read the copy as themselves, and lose it with their embed tenant', async () => {
    await share({ embedTenantName: 'acme', action: 'read' });
    const maker = await session('maker', { creatorMode: true, securityContext: { city: 'Lyon' } });
    const shared = await maker.call('sharedWorkspaceObjects', { path: shop.path });
    expect(shared.items).toMatchObject([{ id: workbookId, dashboardPublicId: publicId, user: null }]);
    const hosts = { path: { ...shop.path, workbookId } };
    expect((await maker.refusal('getWorkbook', hosts)).status).toBe(404);
    const copy = await maker.call('duplicateWorkbook', { ...hosts, body: { shared: true } });
    expect(await cities(maker, copy.id)).toEqual(['Lyon']);
    const own = await maker.call('workspaceObjects', { path: shop.path });
    expect(own.items).toMatchObject([{ id: copy.id, user: { firstName: 'maker' }, userId: null }]);
    await admin.call('deleteEmbedTenant', { path: { embedTenantName: 'acme' } });
    await until(
      'the end of what the embed tenant had',
      async () => (await admin.call('workspaceObjects', { path: shop.path })).items.map(({ id }) => id),
      (ids) => !ids.includes(copy.id) && ids.includes(workbookId),
    );
  });
});
