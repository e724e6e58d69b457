import type { BodyOf } from '@plinth/contract';
import { pdfTexts, until } from '@plinth/testing';
import type { ApiClient, ApiReply } from './harness/api-client';
import { CityOrders } from './harness/city-orders';
import { isOnNats, topologies } from './harness/topologies';
import type { Topology } from './harness/topology';

describe.each(topologies)('exports of dashboards: %s', (name, start) => {
  let topology: Topology;
  let admin: ApiClient;
  let orders: CityOrders;

  beforeAll(async () => {
    topology = await start();
    ({ admin } = topology);
    orders = await CityOrders.open(topology);
  });
  afterAll(() => orders?.close());

  async function exported(body: BodyOf<'startExport'>, filename?: string): Promise<ApiReply & { body: Buffer }> {
    const { jobId } = await admin.call('startExport', { path: orders.shop.path, body });
    const path = { ...orders.shop.path, jobId };
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

  it('are PDF files, with the numbers that each of two users sees', async () => {
    const { dashboardId } = orders;
    const [lyon, pune] = [await orders.citizen('Lyon'), await orders.citizen('Pune')];
    const asLyon = { type: 'USER' as const, email: lyon.email.toUpperCase() };
    const pdf = await exported({ dashboardId, format: 'pdf', renderAs: asLyon }, 'Lyon');
    expect(pdf.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment; filename="Lyon.pdf"',
    });
    const ofLyon = pdfTexts(pdf.body);
    const asPune = { type: 'USER' as const, userId: pune.id };
    const ofPune = pdfTexts((await exported({ dashboardId, format: 'pdf', renderAs: asPune })).body);
    const [inLyon, inPune] = [await orders.counted(`c.city = 'Lyon'`), await orders.counted(`c.city = 'Pune'`)];
    expect(inLyon).not.toBe(inPune);
    expect(ofLyon).toEqual(expect.arrayContaining(['Orders of a city', inLyon]));
    expect(ofPune).toEqual(expect.arrayContaining(['Orders of a city', inPune]));
    expect(ofPune).not.toContain(inLyon);
  });

  // The rest is what one service does.
  if (!isOnNats(name)) return;

  it('are pictures, too, and narrowed by filters', async () => {
    const { dashboardId } = orders;
    const asBerlin = { type: 'USER' as const, email: (await orders.citizen('Berlin')).email };
    const filters = [{ member: 'own_orders.status', operator: 'equals' as const, value: 'shipped' }];
    const narrowed = pdfTexts((await exported({ dashboardId, format: 'pdf', renderAs: asBerlin, filters })).body);
    expect(narrowed).toContain(await orders.counted(`c.city = 'Berlin' and o.status = 'shipped'`));
    expect(narrowed).not.toContain('completed');

    const png = await exported({ dashboardId, format: 'png', renderAs: asBerlin });
    expect(png.headers['content-disposition']).toBe('attachment; filename="dashboard.png"');
    expect(png.body.subarray(1, 4).toString()).toBe('PNG');
    expect(png.body.length).toBeGreaterThan(10_000);
  });
});
