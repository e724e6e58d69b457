import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { BodyOf } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { answered, startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

type Asked = BodyOf<'queryEngine'>;

const QUERY = { measures: ['orders.count'], dimensions: ['orders.status'] };
const annotation = {
  dimensions: { 'orders.status': { title: 'Status', type: 'string' } },
  timeDimensions: {},
  measures: { 'orders.count': { title: 'Count', type: 'number' } },
};
const meta = {
  cubes: [
    { dimensions: [{ name: 'orders.status', type: 'string' }], measures: [{ name: 'orders.count', type: 'count' }] },
  ],
};
const data = [
  { 'orders.status': '=shipped', 'orders.count': '5.25' },
  { 'orders.status': 'new, "or" so', 'orders.count': null },
];
const shipped = { member: 'orders.status', value: 'shipped' };
const columnFormats = { 'orders.count': { type: 'currency', decimalPlaces: 1 }, other: 'nonsense' };

describe.each(transports)('data over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let tenantId: number;
  let deploymentId: number;
  let owner: Principal & { userId: number };
  let asked: Asked[];

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace.stop());
  beforeEach(() => {
    ({ tenantId, deploymentId } = workspace.newTenant());
    const user = workspace.newUser(tenantId);
    owner = { ...user, grants: [...user.grants, { action: 'DownloadData', deploymentIds: null }] };
    asked = [];
    workspace.queryEngine = async ({ body }) => {
      asked.push(body);
      if (body.route === 'meta') return answered(meta);
      const { query } = body.body as { query: { measures?: string[] } };
      if (query.measures?.[0] === 'orders.broken') return answered({ error: 'no such measure' }, 400);
      return answered({ results: [{ query, data, annotation }] });
    };
  });

  const create = async (body: object = { jsonQuery: JSON.stringify(QUERY) }): Promise<number> =>
    (await workspace.call(owner, 'createReport', { path: { deploymentId }, body })).id;
  const loaded = () =>
    asked.filter(({ route }) => route === 'load').map(({ body }) => (body as { query: object }).query);

  describe('of a report', () => {
    const path = (reportId: number) => ({ deploymentId, reportId });
    const read = async (id: number, body?: object) =>
      JSON.parse((await workspace.read(owner, 'getReportData', { path: path(id), body })).text) as object;
    const refusal = (id: number, body?: object, who: Principal = owner) =>
      workspace.refusal(who, 'getReportData', { path: path(id), body });

    it('is not there for others', async () => {
      const id = await create();
      expect(await refusal(id, {}, workspace.newUser(tenantId))).toEqual({ status: 404, code: 'report.not_found' });
      expect(await refusal(id, {}, workspace.newTenant().admin)).toMatchObject({ status: 404 });
      expect(asked).toEqual([]);
    });

    it.each([
      ['a time zone that there is not', { timezone: 'Mars/Olympus' }],
      ['a filter without a value', { filters: [{ member: 'orders.status' }] }],
    ])('is refused for %s', async (_what, body) => {
      expect(await refusal(await create(), body)).toEqual({ status: 400, code: 'request.invalid' });
    });

    it('is an error where the query fails, and where there is none', async () => {
      const broken = await create({ jsonQuery: JSON.stringify({ measures: ['orders.broken'] }) });
      expect(await refusal(broken)).toEqual({ status: 400, code: 'report.query_failed' });
      expect(await refusal(await create({}))).toEqual({ status: 400, code: 'report.no_query' });
    });

    it('is no file for who may not download, nor for anybody where the account restricts it', async () => {
      const id = await create();
      const plain = { ...owner, grants: owner.grants.filter(({ action }) => action !== 'DownloadData') };
      expect(await refusal(id, { format: 'csv' }, plain)).toEqual({ status: 403, code: 'access.denied' });
      workspace.restrictedTenants.add(tenantId);
      expect(await refusal(id, { format: 'csv' })).toEqual({ status: 403, code: 'data.download_restricted' });
      expect(await read(id)).toMatchObject({ rowCount: 2 });
    });

    it('comes as JSON, with the columns as the report shows them', async () => {
      const id = await create({ jsonQuery: JSON.stringify(QUERY), meta: { preferences: { columnFormats } } });
      expect(await read(id)).toEqual({
        columns: [
          { name: 'orders.status', title: 'Status', type: 'string', format: null, decimalPlaces: null },
          { name: 'orders.count', title: 'Count', type: 'number', format: 'currency', decimalPlaces: 1 },
        ],
        rows: data,
        rowCount: 2,
      });
    });

    it('comes as CSV that no spreadsheet takes for a formula', async () => {
      const id = await create({ jsonQuery: JSON.stringify(QUERY), meta: { preferences: { columnFormats } } });
      const request = { path: path(id), body: { format: 'csv' } };
      expect(await workspace.read(owner, 'getReportData', request)).toMatchObject({
        type: 'text/csv; charset=utf-8',
        text: 'Status,Count\r\n\'=shipped,5.3\r\n"new, ""or"" so",\r\n',
      });
    });

    it('is asked for with filters, time zone and limit, as the caller', async () => {
      await read(await create(), { filters: [shipped], timezone: 'Europe/Berlin', limit: 10 });
      expect(asked.map(({ securityContext }) => securityContext)).toEqual([
        { cubeCloud: { userId: owner.userId } },
        { cubeCloud: { userId: owner.userId } },
      ]);
      const filters = [{ member: 'orders.status', operator: 'equals', values: ['shipped'] }];
      expect(loaded()).toEqual([{ ...QUERY, filters, timeDimensions: [], timezone: 'Europe/Berlin', limit: 10 }]);
    });
  });

  describe('of a dashboard', () => {
    const item = async (widgets: object[], reports: Record<number, object>): Promise<number> =>
      workspace.database.transaction(tenantId, async (tx) => {
        const manager = managerFor(tx);
        const one = async (text: string, values: unknown[]): Promise<number> =>
          (await manager.query<[{ id: number }]>(`${text} returning id`, values))[0].id;
        const id = await one(
          `insert into item (tenant_id, deployment_id, type, name, owner_id) values ($1, $2, 'WORKBOOK', 'w', $3)`,
          [tenantId, deploymentId, owner.userId],
        );
        await manager.query(
          `insert into workbook (id, tenant_id, deployment_id, meta, calculated_fields) values ($1, $2, $3, '{}', '[]')`,
          [id, tenantId, deploymentId],
        );
        if (widgets.length === 0) return id;
        const dashboard = await one(
          `insert into dashboard (tenant_id, deployment_id, workbook_id, public_id, status)
           values ($1, $2, $3, $4, 'published')`,
          [tenantId, deploymentId, id, `dashboard${id}`],
        );
        const version = await one(
          `insert into dashboard_version (tenant_id, dashboard_id, version_number, config) values ($1, $2, 1, $3)`,
          [tenantId, dashboard, JSON.stringify({ widgets })],
        );
        for (const [reportId, snapshot] of Object.entries(reports)) {
          await one(
            'insert into report_snapshot (tenant_id, version_id, report_id, snapshot) values ($1, $2, $3, $4)',
            [tenantId, version, reportId, JSON.stringify({ reportId: Number(reportId), ...snapshot })],
          );
        }
        return id;
      });
    const chart = (id: string, reportId: number) => ({ id, type: 'CHART', config: { reportId } });
    const asking = (measure: string) => ({ kind: 'table', jsonQuery: JSON.stringify({ measures: [measure] }) });
    const request = (workbookId: number, body?: object) => ({ path: { deploymentId, workbookId }, body });
    const read = async (workbookId: number, body?: object) =>
      JSON.parse((await workspace.read(owner, 'getDashboardData', request(workbookId, body))).text) as object;

    it('is not there for others, nor before it is published, nor as CSV without a chart', async () => {
      const unpublished = await item([], {});
      const refusal = (id: number, body?: object, who: Principal = owner) =>
        workspace.refusal(who, 'getDashboardData', request(id, body));
      expect(await refusal(unpublished)).toEqual({ status: 400, code: 'dashboard.not_published' });
      expect(await refusal(unpublished, {}, workspace.newUser(tenantId))).toEqual({
        status: 404,
        code: 'workbook.not_found',
      });
      const published = await item([chart('a', 1)], { 1: asking('orders.count') });
      expect(await refusal(published, { format: 'csv' })).toEqual({ status: 400, code: 'request.invalid' });
      expect(await refusal(published, { format: 'csv', widgetId: 'b' })).toMatchObject({ status: 400 });
      const { text } = await workspace.read(
        owner,
        'getDashboardData',
        request(published, { format: 'csv', widgetId: 'a' }),
      );
      expect(text.split('\r\n')).toHaveLength(4);
    });

    it('has the error of a query in the place of its chart, and the others', async () => {
      const widgets = [chart('a', 1), chart('b', 2), { id: 't', type: 'TEXT' }, chart('c', 3)];
      const id = await item(widgets, { 1: asking('orders.broken'), 2: asking('orders.count') });
      expect(await read(id)).toMatchObject({
        versionNumber: 1,
        widgets: [
          { widgetId: 'a', data: null, error: { code: 'report.query_failed', message: 'no such measure' } },
          { widgetId: 'b', reportId: 2, kind: 'table', error: null, data: { rows: data, rowCount: 2 } },
          { widgetId: 'c', reportId: null, data: null, error: { code: 'report.not_found' } },
        ],
      });
    });

    it('is filtered as it was saved, unless the reader says otherwise, and only where the view is asked', async () => {
      const control = { id: 'f', type: 'FILTER', config: shipped };
      const id = await item([control, chart('a', 1), chart('b', 2)], {
        1: asking('orders.count'),
        2: asking('customers.count'),
      });
      const filters = [{ member: 'orders.status', operator: 'equals', values: ['shipped'] }];
      const byMeasure = () => new Map(loaded().map((query) => [(query as { measures: string[] }).measures[0], query]));
      await read(id);
      expect(byMeasure().get('orders.count')).toMatchObject({ filters });
      expect(byMeasure().get('customers.count')).toMatchObject({ filters: [] });
      asked = [];
      await read(id, { filters: [] });
      expect(byMeasure().get('orders.count')).toMatchObject({ filters: [] });
    });
  });
});
