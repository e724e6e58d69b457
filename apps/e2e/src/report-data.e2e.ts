import type { TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient } from './harness/api-client';
import { createShopDatabase, Shop } from './harness/shop';
import { onNats } from './harness/topologies';

const QUERY = {
  measures: ['orders.count'],
  dimensions: ['orders.status'],
  order: { 'orders.status': 'asc' },
};

describe.each(onNats)('the data of reports: %s', (_name, start) => {
  let admin: ApiClient;
  let database: TestDatabase;
  let shop: Shop;

  beforeAll(async () => {
    ({ admin } = await start());
    database = await createShopDatabase();
    shop = await Shop.open(admin, database);
  });
  afterAll(() => database?.drop());

  const counts = async (where = 'true'): Promise<object[]> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query<object>(
      `select status as "orders.status", count(*)::text as "orders.count" from orders where ${where} group by 1 order by 1`,
    );
    await client.end();
    return rows;
  };
  const data = async (reportId: number, body: object) => {
    const address = `/api/v1/deployments/${shop.deploymentId}/reports/${reportId}/data`;
    const reply = await admin.send('POST', address, { body });
    expect(reply).toMatchObject({ status: 200 });
    return reply;
  };

  it('is that of the database: refreshed, filtered, and in SQL', async () => {
    const all = await counts();
    expect(all.length).toBeGreaterThan(1);
    const body = { name: 'Orders by status', jsonQuery: JSON.stringify(QUERY) };
    const { id } = await admin.call('createReport', { path: shop.path, body });
    const path = { ...shop.path, reportId: id };
    const refreshed = await admin.call('refreshReport', { path });
    expect(refreshed).toMatchObject({ refreshedRowCount: all.length, refreshedBy: refreshed.userId });
    expect((await data(id, {})).body).toMatchObject({ rows: all, rowCount: all.length });

    const filters = [
      { member: 'orders.status', operator: 'not_equals', value: 'shipped' },
      { member: 'orders.created_at', operator: 'less_than', value: 'tomorrow' },
    ];
    const filtered = (await data(id, { filters, timezone: 'Europe/Berlin' })).body;
    expect(filtered).toMatchObject({
      rows: await counts(`status <> 'shipped' and created_at < now() + interval '1 day'`),
    });

    const update = {
      jsonQuery: null,
      sqlQuery: 'SELECT orders.status, MEASURE(orders.count) AS n FROM orders GROUP BY 1 ORDER BY 1',
    };
    await admin.call('updateReport', { path, body: update });
    const inSql = (await data(id, {})).body as { rows: object[] };
    expect(inSql.rows).toHaveLength(all.length);
    const member = [{ member: 'orders.status', value: 'shipped' }];
    expect((await data(id, { filters: member })).body).toMatchObject({ rows: await counts(`status = 'shipped'`) });
  });
});
