import type { BodyOf } from '@plinth/contract';
import { pdfTexts, until, type TestDatabase } from '@plinth/testing';
import { Client } from 'pg';
import type { ApiClient, ApiReply } from './harness/api-client';
import { createShopDatabase, Shop } from './harness/shop';
import { topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

/** Orders, of which everybody sees those of customers in their own city. */
const ownOrders = {
  path: 'model/cubes/own_orders.js',
  content: `cube('own_orders', {
    sql: 'select o.id, o.status, c.city from orders o join customers c on c.id = o.customer_id',
    dimensions: {
      id: { sql: 'id', type: 'number', primary_key: true },
      status: { sql: 'status', type: 'string' },
      city: { sql: 'city', type: 'string' },
    },
    measures: { count: { type: 'count' } },
    access_policy: [{ group: '*', row_level: { filters: [
      { member: 'city', operator: 'equals', values: [securityContext.cubeCloud.userAttributes.city] }] } }],
  });\n`,
};
const bar = {
  $schema: 'https://vega.github.io/schema/vega-lite/v5.json',
  mark: 'bar',
  encoding: {
    x: { field: 'own_orders\\.status', type: 'nominal' },
    y: { field: 'own_orders\\.count', type: 'quantitative' },
  },
};
const byStatus = { measures: ['own_orders.count'], dimensions: ['own_orders.status'] };

describe.each(topologies)('exports of dashboards: %s', (_name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let database: TestDatabase;
  let shop: Shop;
  let dashboardId: number;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    database = await createShopDatabase();
    shop = await Shop.open(admin, database, [ownOrders]);
    dashboardId = await publish();
  });
  afterAll(() => database?.drop());

  async function publish(): Promise<number> {
    const { id: workbookId } = await admin.call('createWorkbook', { path: shop.path, body: { name: 'Orders' } });
    const report = async (query: object, meta: Record<string, unknown>): Promise<number> => {
      const body = { name: String(meta['kind']), workbookId, jsonQuery: JSON.stringify(query), meta };
      return (await admin.call('createReport', { path: shop.path, body })).id;
    };
    const total = await report({ measures: ['own_orders.count'] }, { kind: 'kpi' });
    const table = await report(byStatus, { kind: 'table' });
    const drawing = await report(byStatus, { kind: 'vega', spec: bar });
    const chart = (id: string, reportId: number, y: number, h = 4) => ({
      ...{ id, type: 'CHART' as const, position: { x: 0, y, w: 12, h } },
      config: { reportId },
    });
    const widgets = [chart('a', total, 0), chart('b', table, 4, 6), chart('c', drawing, 10, 8)];
    const body = { workbookId, config: { title: 'Orders of a city', widgets } };
    return (await admin.call('publishDashboard', { path: { ...shop.path, workbookId }, body })).id;
  }

  /** An administrator who sees the orders of a city. */
  async function citizen(city: string): Promise<{ id: number; email: string }> {
    const email = `${city.toLowerCase()}-${topology.tenant}@exports.test`;
    const words = ['--tenant', topology.tenant, '--email', email, '--role', 'Admin'];
    const { apiKey } = await topology.plinth('api-keys', 'create', ...words);
    const { id } = await admin.as(`Bearer ${String(apiKey)}`).call('getCurrentUser');
    const { items } = await admin.call('getUserAttributes');
    const known = items.find(({ name }) => name === 'city');
    const attribute = known ?? (await admin.call('createUserAttribute', { body: { name: 'city', type: 'string' } }));
    const value = { userId: String(id), userAttributeId: String(attribute.id), value: city };
    await admin.call('upsertUserAttributeValue', { body: value });
    return { id, email };
  }

  async function exported(body: BodyOf<'startExport'>, filename?: string): Promise<ApiReply & { body: Buffer }> {
    const { jobId } = await admin.call('startExport', { path: shop.path, body });
    const path = { ...shop.path, jobId };
    const { error } = await until(
      'the end of the export',
      () => admin.call('getExportStatus', { path }),
      ({ status }) => status === 'completed' || status === 'failed',
      120_000,
    );
    expect(error).toBeNull();
    const reply = await admin.attempt('downloadExport', { path, query: filename === undefined ? {} : { filename } });
    expect(reply.status).toBe(200);
    return reply as ApiReply & { body: Buffer };
  }

  const counted = async (where: string): Promise<string> => {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const text = `select count(*)::integer as n from orders o join customers c on c.id = o.customer_id where ${where}`;
    const { rows } = await client.query<{ n: number }>(text);
    await client.end();
    return (rows[0]?.n ?? 0).toLocaleString('en');
  };

  it('are pictures and PDF files, with the numbers that each of two users sees', async () => {
    const [lyon, pune] = [await citizen('Lyon'), await citizen('Pune')];
    const asLyon = { type: 'USER' as const, email: lyon.email.toUpperCase() };
    const pdf = await exported({ dashboardId, format: 'pdf', renderAs: asLyon }, 'Lyon');
    expect(pdf.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="Lyon.pdf"',
    });
    const ofLyon = pdfTexts(pdf.body);
    const asPune = { type: 'USER' as const, userId: pune.id };
    const ofPune = pdfTexts((await exported({ dashboardId, format: 'pdf', renderAs: asPune })).body);
    const [inLyon, inPune] = [await counted(`c.city = 'Lyon'`), await counted(`c.city = 'Pune'`)];
    expect(inLyon).not.toBe(inPune);
    expect(ofLyon).toEqual(expect.arrayContaining(['Orders of a city', inLyon]));
    expect(ofPune).toEqual(expect.arrayContaining(['Orders of a city', inPune]));
    expect(ofPune).not.toContain(inLyon);

    const filters = [{ member: 'own_orders.status', operator: 'equals' as const, value: 'shipped' }];
    const narrowed = pdfTexts((await exported({ dashboardId, format: 'pdf', renderAs: asLyon, filters })).body);
    expect(narrowed).toContain(await counted(`c.city = 'Lyon' and o.status = 'shipped'`));
    expect(narrowed).not.toContain('completed');

    const png = await exported({ dashboardId, format: 'png', renderAs: asLyon });
    expect(png.headers['content-disposition']).toBe('attachment; filename="dashboard.png"');
    expect(png.body.subarray(1, 4).toString()).toBe('PNG');
    expect(png.body.length).toBeGreaterThan(10_000);
  });
});
