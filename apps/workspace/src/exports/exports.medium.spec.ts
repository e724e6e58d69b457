import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { pdfTexts, until } from '@plinth/testing';
import { grant } from '../testing/content-fixture';
import { putDashboard } from '../testing/dashboard-content';
import { answered, startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

const QUERY = { measures: ['orders.count'], dimensions: ['orders.status'] };
const annotation = {
  dimensions: { 'orders.status': { title: 'Status', type: 'string' } },
  timeDimensions: {},
  measures: { 'orders.count': { title: 'Count', type: 'number' } },
};
const dimension = { name: 'orders.status', type: 'string' };
const meta = { cubes: [{ dimensions: [dimension], measures: [{ name: 'orders.count', type: 'count' }] }] };
const chart = (id: string, reportId: number, y = 0) => ({
  ...{ id, type: 'CHART', config: { reportId } },
  position: { x: 0, y, w: 12, h: 5 },
});
const table = (query: object = QUERY) => ({
  kind: 'table' as const,
  title: 'Counts',
  jsonQuery: JSON.stringify(query),
});
const dashboard = { widgets: [chart('a', 1)], reports: { 1: table() } };

describe.each(transports)('exports over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let tenantId: number;
  let deploymentId: number;
  let admin: Principal & { userId: number };
  let owner: Principal & { userId: number };
  let queries: { query: Record<string, unknown>; userId: number }[];
  let letThrough: (() => void) | undefined;

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace?.stop());
  beforeEach(() => {
    const tenant = workspace.newTenant();
    ({ tenantId, deploymentId } = tenant);
    admin = tenant.admin as typeof admin;
    owner = workspace.newUser(tenantId);
    queries = [];
    letThrough = undefined;
    workspace.queryEngine = async ({ body }) => {
      if (body.route === 'meta') return answered(meta);
      const { query } = body.body as { query: Record<string, unknown> & { measures: string[] } };
      const { userId } = (body.securityContext as { cubeCloud: { userId: number } }).cubeCloud;
      queries.push({ query, userId });
      if (query.measures[0] === 'orders.broken') return answered({ error: 'no such measure' }, 400);
      if (query.measures[0] === 'orders.slow') await new Promise<void>((resolve) => (letThrough = resolve));
      const data = [{ 'orders.status': 'shipped', 'orders.count': 1_000 + userId }];
      return answered({ results: [{ query, data, annotation }] });
    };
  });
  afterEach(() => letThrough?.());

  const put = (content: Parameters<typeof putDashboard>[2] = dashboard) =>
    putDashboard(workspace.database, { tenantId, deploymentId, ownerId: owner.userId }, content);
  const path = () => ({ deploymentId });
  const start = (who: Principal, body: object) =>
    workspace.call(who, 'startExport', { path: path(), body: { format: 'pdf', ...body } });
  const refusal = (who: Principal, body: object) =>
    workspace.refusal(who, 'startExport', { path: path(), body: { format: 'pdf', ...body } });
  const status = (who: Principal, jobId: string) =>
    workspace.call(who, 'getExportStatus', { path: { deploymentId, jobId } });
  const ended = (who: Principal, jobId: string) =>
    until(
      'the end of the export',
      () => status(who, jobId),
      ({ status: now }) => now === 'completed' || now === 'failed',
    );
  const download = (who: Principal, jobId: string, query: object = {}) =>
    workspace.bytes(who, 'downloadExport', { path: { deploymentId, jobId }, query });
  const drawn = async (who: Principal, body: object): Promise<string[]> => {
    const { jobId } = await start(who, body);
    expect(await ended(who, jobId)).toMatchObject({ status: 'completed', progress: 100 });
    return pdfTexts((await download(who, jobId)).bytes);
  };
  const sql = (text: string) => workspace.database.asSystem((tx) => managerFor(tx).query<object[]>(text));

  it.each([
    ['no dashboard', {}],
    ['two dashboards', { dashboardId: 1, dashboardPublicId: 'x' }],
    ['a filter without a value', { dashboardId: 1, filters: [{ member: 'orders.status' }] }],
    ['a subject of nobody', { dashboardId: 1, renderAs: { type: 'USER' } }],
    ['a subject of two names', { dashboardId: 1, renderAs: { type: 'USER', userId: 1, email: 'a@b' } }],
    ['a user with a context', { dashboardId: 1, renderAs: { type: 'USER', userId: 1, securityContext: {} } }],
    ['an embed user without a tenant', { dashboardId: 1, renderAs: { type: 'EMBED_USER', externalId: 'a' } }],
  ])('are refused for %s', async (_what, body) => {
    expect(await refusal(admin, body)).toEqual({ status: 400, code: 'request.invalid' });
  });

  it('know no dashboard that is not there, elsewhere, unpublished or not to be seen, and want it managed', async () => {
    const { dashboardId, publicId, workbookId } = await put();
    const unknown = { status: 404, code: 'dashboard.not_found' };
    expect(await refusal(admin, { dashboardId: 999_999 })).toEqual(unknown);
    const stranger = workspace.newUser(tenantId);
    expect(await refusal(stranger, { dashboardPublicId: publicId })).toEqual(unknown);
    grant(workspace, stranger, ['WORKBOOK', workbookId, 'edit']);
    expect(await refusal(stranger, { dashboardId })).toEqual({ status: 403, code: 'access.denied' });
    await sql(`update dashboard set status = 'draft' where id = ${dashboardId}`);
    expect(await refusal(admin, { dashboardId })).toEqual(unknown);
    const other = workspace.newTenant();
    workspace.deployments.set(other.deploymentId, { tenantId });
    await sql(
      `update dashboard set status = 'published', deployment_id = ${other.deploymentId} where id = ${dashboardId}`,
    );
    expect(await refusal(admin, { dashboardId })).toEqual(unknown);
  });

  it('are for nobody where downloads are restricted, nor are their files', async () => {
    const { dashboardId } = await put();
    const { jobId } = await start(owner, { dashboardId });
    await ended(owner, jobId);
    workspace.restrictedTenants.add(tenantId);
    const restricted = { status: 403, code: 'data.download_restricted' };
    expect(await refusal(owner, { dashboardId })).toEqual(restricted);
    expect(await refusal(admin, { dashboardId, renderAs: { type: 'USER', userId: owner.userId } })).toEqual(restricted);
    const request = { path: { deploymentId, jobId } };
    expect(await workspace.refusal(owner, 'downloadExport', request)).toEqual(restricted);
  });

  it('read data as others for administrators alone, as users who are there, and as embed users of no workbook', async () => {
    const { dashboardId } = await put();
    const renderAs = { type: 'USER', userId: owner.userId };
    expect(await refusal(owner, { dashboardId, renderAs })).toEqual({ status: 403, code: 'access.denied' });
    const gone = { type: 'USER', email: 'gone@example.com' };
    expect(await refusal(admin, { dashboardId, renderAs: gone })).toEqual({ status: 404, code: 'user.not_found' });
    const embedded = { type: 'EMBED_USER', embedTenantName: 'acme', externalId: 'ada' };
    const refused = { status: 403, code: 'dashboard.not_shared' };
    expect(await refusal(admin, { dashboardId, renderAs: embedded })).toEqual(refused);
    expect(await refusal(admin, { dashboardId: 999_999, renderAs: embedded })).toMatchObject({ status: 404 });
  });

  it('read data as embed users of an embed tenant that the workbook is shared with', async () => {
    const { dashboardId, workbookId } = await put();
    const path = { deploymentId, workbookId };
    workspace.embedTenants.set(`${tenantId}/acme`, 3).set(`${tenantId}/globex`, 4);
    workspace.embedSubjects.set('acme/ada', { embedUserId: 70, securityContext: { cubeCloud: { userId: 70 } } });
    const body = { embedTenantName: 'acme', action: 'read' };
    await workspace.call(admin, 'updateEmbedAccess', { path, body });
    const renderAs = { type: 'EMBED_USER', embedTenantName: 'globex', externalId: 'ada' };
    const refused = { status: 403, code: 'dashboard.not_shared' };
    expect(await refusal(admin, { dashboardId, renderAs })).toEqual(refused);
    const drawnAs = await drawn(admin, { dashboardId, renderAs: { ...renderAs, embedTenantName: 'acme' } });
    expect(drawnAs.join(' ')).toContain((1_070).toLocaleString('en'));
  });

  it('have the numbers of whom the data is read as', async () => {
    const { dashboardId, publicId } = await put();
    const number = ({ userId }: { userId: number }) => (1_000 + userId).toLocaleString('en');
    expect((await drawn(owner, { dashboardId })).join(' ')).toContain(number(owner));
    const email = owner.email?.toUpperCase();
    const asOwner = await drawn(admin, { dashboardPublicId: publicId, renderAs: { type: 'USER', email } });
    expect(asOwner.join(' ')).toContain(number(owner));
    const asAdmin = await drawn(admin, { dashboardId });
    expect(asAdmin.join(' ')).toContain(number(admin));
    expect(asAdmin.join(' ')).not.toContain(number(owner));
    expect(queries.map(({ userId }) => userId)).toEqual([owner.userId, owner.userId, admin.userId]);
  });

  it('narrow the queries as they are told, and as the dashboard has it saved without that', async () => {
    const control = { id: 'f', type: 'FILTER', position: { x: 0, y: 5, w: 4, h: 1 } };
    const config = { member: 'orders.status', operator: 'equals', value: 'shipped' };
    const { dashboardId } = await put({ ...dashboard, widgets: [{ ...control, config }, ...dashboard.widgets] });
    const texts = await drawn(owner, { dashboardId });
    expect(texts.join(' ')).toContain('shipped');
    await drawn(owner, { dashboardId, filters: [] });
    const other = [{ member: 'orders.status', operator: 'not_equals', value: 'new' }];
    await drawn(owner, { dashboardId, filters: other });
    expect(queries.map(({ query }) => query['filters'])).toEqual([
      [{ member: 'orders.status', operator: 'equals', values: ['shipped'] }],
      [],
      [{ member: 'orders.status', operator: 'notEquals', values: ['new'] }],
    ]);
  });

  it('have an error in the place of a chart, and fail when all charts do', async () => {
    const broken = table({ measures: ['orders.broken'] });
    const some = await put({ widgets: [chart('a', 1), chart('b', 2, 5)], reports: { 1: table(), 2: broken } });
    expect((await drawn(owner, { dashboardId: some.dashboardId })).join(' ')).toContain('no such measure');
    const none = await put({ widgets: [chart('a', 1)], reports: { 1: broken } });
    const { jobId } = await start(owner, { dashboardId: none.dashboardId });
    const error = expect.stringContaining('no such measure');
    expect(await ended(owner, jobId)).toMatchObject({ status: 'failed', contentType: null, error });
    const request = { path: { deploymentId, jobId } };
    expect(await workspace.refusal(owner, 'downloadExport', request)).toEqual({ status: 422, code: 'export.failed' });
  });

  it('have no file while they are drawn, and are counted until then: three of twenty for one identity', async () => {
    const { dashboardId } = await put({ ...dashboard, reports: { 1: table({ measures: ['orders.slow'] }) } });
    const body = { dashboardId, renderAs: { type: 'USER', userId: owner.userId } };
    const begun = await Promise.all(
      Array.from({ length: 20 }, () => start(admin, body).catch((error: { code: string }) => error.code)),
    );
    const jobs = begun.filter((each) => typeof each !== 'string') as Schemas['DashboardExportJobResponse'][];
    expect(jobs).toHaveLength(3);
    expect(begun.filter((each) => each === 'export.too_many')).toHaveLength(17);
    expect(await refusal(owner, { dashboardId })).toEqual({ status: 429, code: 'export.too_many' });
    for (const { jobId } of jobs) {
      const request = { path: { deploymentId, jobId } };
      const early = { status: 409, code: 'export.not_completed' };
      expect(await workspace.refusal(admin, 'downloadExport', request)).toEqual(early);
      await until(
        'the query of the export',
        async () => letThrough?.(),
        () => letThrough !== undefined,
      );
    }
    const done = until(
      'all of them',
      async () => {
        letThrough?.();
        return Promise.all(jobs.map(({ jobId }) => status(admin, jobId)));
      },
      (all) => all.every(({ status: now }) => now === 'completed'),
    );
    await done;
    expect(await start(owner, { dashboardId })).toMatchObject({ jobId: expect.any(String) });
  });

  it('are there for who started them, in their deployment, for five minutes', async () => {
    const { dashboardId } = await put();
    const before = Date.now();
    const { jobId, expiresAt } = await start(owner, { dashboardId, format: 'png' });
    expect(Date.parse(expiresAt) - before).toBeGreaterThan(290_000);
    expect(Date.parse(expiresAt) - before).toBeLessThan(310_000);
    expect(await ended(owner, jobId)).toEqual({
      status: 'completed',
      progress: 100,
      contentType: 'image/png',
      error: null,
    });
    const gone = { status: 404, code: 'export.not_found' };
    const refused = (who: Principal, at = deploymentId) =>
      Promise.all(
        (['getExportStatus', 'downloadExport'] as const).map((operationId) =>
          workspace.refusal(who, operationId, { path: { deploymentId: at, jobId } }),
        ),
      );
    expect(await refused(admin)).toEqual([gone, gone]);
    expect(await refused(workspace.newTenant().admin)).toEqual([gone, gone]);
    expect(await refused(owner, deploymentId + 1)).toEqual([gone, gone]);
    const { headers, bytes } = await download(owner, jobId, { filename: 'Größe/1' });
    expect(headers).toEqual({
      'content-type': 'image/png',
      'content-disposition': `attachment; filename="Gr__e_1.png"; filename*=UTF-8''Gr%C3%B6%C3%9Fe_1.png`,
    });
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    await sql(`update dashboard_export set expires_at = now()`);
    expect(await refused(owner)).toEqual([gone, gone]);
    // The next look for work removes it.
    const next = await start(owner, { dashboardId });
    await ended(owner, next.jobId);
    expect(await sql(`select from dashboard_export where id = '${jobId}'`)).toEqual([]);
    expect(await sql(`select from dashboard_export_chunk where export_id = '${jobId}'`)).toEqual([]);
  });

  it('go away with their dashboard', async () => {
    const { dashboardId, workbookId } = await put();
    const { jobId } = await start(owner, { dashboardId });
    await ended(owner, jobId);
    await workspace.call(owner, 'deleteWorkbook', { path: { deploymentId, workbookId } });
    const request = { path: { deploymentId, jobId } };
    expect(await workspace.refusal(owner, 'getExportStatus', request)).toEqual({
      status: 404,
      code: 'export.not_found',
    });
  });
});
