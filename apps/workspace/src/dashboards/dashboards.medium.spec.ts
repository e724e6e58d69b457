import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { OperationId } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { StoredContent } from '../testing/stored-content';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

const position = { x: 0, y: 0, w: 1, h: 1 };
const text = (id: string) => ({ id, type: 'TEXT', position });
const chart = (id: string, reportId: unknown) => ({ id, type: 'CHART', position, config: { reportId } });

describe.each(transports)('dashboards over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let content: StoredContent;
  let tenantId: number, deploymentId: number;
  let owner: Principal & { userId: number };
  let other: Principal & { userId: number };
  let path: { deploymentId: number; workbookId: number };

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
    content = new StoredContent(workspace);
  });
  afterAll(() => workspace.stop());
  beforeEach(async () => {
    ({ tenantId, deploymentId } = workspace.newTenant());
    owner = workspace.newUser(tenantId);
    other = workspace.newUser(tenantId);
    const { id: workbookId } = await workspace.call(owner, 'createWorkbook', { path: { deploymentId }, body: {} });
    path = { deploymentId, workbookId };
  });

  const saveDraft = (dashboardDraft: object | null | undefined, by = owner) =>
    workspace.call(by, 'updateWorkbookDashboard', { path, body: { dashboardDraft } });
  const publish = (more: object = {}, by = owner) =>
    workspace.call(by, 'publishDashboard', { path, body: { workbookId: path.workbookId, ...more } });
  const setThread = (more: object) =>
    workspace.call(owner, 'updatePublishedDashboardAiWidgetThread', { path, body: { threadId: 't', ...more } });
  const versions = (query: object = {}) => workspace.call(owner, 'listDashboardVersions', { path, query });
  const version = (versionId: number) => workspace.call(owner, 'getDashboardVersion', { path: { ...path, versionId } });
  const restore = (versionId: number) =>
    workspace.call(owner, 'restoreDashboardVersion', { path: { ...path, versionId } });
  const get = () => workspace.call(owner, 'getWorkbook', { path });
  const bodies: Partial<Record<OperationId, object>> = {
    updateWorkbookDashboard: { dashboardDraft: null },
    updatePublishedDashboardAiWidgetThread: { widgetId: 'a', threadId: 't' },
  };
  const refusal = (by: Principal, operationId: OperationId, more: object = {}, body?: object) =>
    workspace.refusal(by, operationId, {
      path: { ...path, versionId: 1, ...more },
      body: { workbookId: path.workbookId, ...bodies[operationId], ...body },
    });

  /** Of which other services are told that they are gone. */
  const deletedDashboards = () =>
    workspace.database.asSystem((tx) =>
      managerFor(tx).query<object[]>(`select payload from outbox where tenant_id = $1 and type = 'dashboard.deleted'`, [
        tenantId,
      ]),
    );

  const changes = [
    'updateWorkbookDashboard',
    'publishDashboard',
    'updatePublishedDashboardAiWidgetThread',
    'restoreDashboardVersion',
  ] as const;

  it.each([...changes, 'listDashboardVersions', 'getDashboardVersion'] as const)(
    'refuse %s of a workbook that is not there or to be seen, and of another deployment: 404',
    async (operationId) => {
      expect(await refusal(other, operationId)).toMatchObject({ status: 404, code: 'workbook.not_found' });
      const gone = { workbookId: 999_999 };
      expect(await refusal(owner, operationId, gone, gone)).toMatchObject({ code: 'workbook.not_found' });
      const second = workspace.newTenant();
      expect(await refusal(second.admin, operationId)).toMatchObject({ code: 'deployment.not_found' });
      expect(await refusal(second.admin, operationId, second)).toMatchObject({ status: 404 });
    },
  );

  it.each(changes)('refuse %s to those who may only read: 403', async (operationId) => {
    content.allow(other, 'Workbook', path.workbookId, 'read');
    expect(await refusal(other, operationId)).toMatchObject({ status: 403 });
  });

  it('refuse what cannot be published, and keep what was', async () => {
    expect(await refusal(owner, 'publishDashboard')).toEqual({ status: 400, code: 'dashboard.nothing_to_publish' });
    const { id, versionId } = await publish({ config: {} });
    const hidden = await content.report(other, { deploymentId });
    const elsewhere = await content.report(owner, { deploymentId: deploymentId + 500_000 });
    for (const body of [
      { config: {}, workbookId: path.workbookId + 1 },
      { config: {}, dashboardId: id + 1 },
      { config: { widgets: [text('a'), text('a')] } },
      ...[999_999, 'x', hidden, elsewhere, path.workbookId].map((reportId) => ({
        config: { widgets: [chart('a', reportId)] },
      })),
    ])
      expect(await refusal(owner, 'publishDashboard', {}, body)).toMatchObject({
        status: 400,
        code: 'request.invalid',
      });
    expect(await publish({ config: {}, dashboardId: id })).toMatchObject({ id, versionNumber: 2 });
    expect((await versions()).items.map((each) => each.versionNumber)).toEqual([2, 1]);
    expect(await version(versionId)).toMatchObject({ versionNumber: 1 });
  });

  it('let those who manage the workbook decide whether they may be embedded', async () => {
    content.allow(other, 'Workbook', path.workbookId, 'edit');
    expect(await refusal(other, 'publishDashboard', {}, { config: {}, allowEmbed: true })).toMatchObject({
      status: 403,
    });
    expect(await publish({ config: {}, allowEmbed: true })).toMatchObject({ allowEmbed: true });
    expect(await refusal(other, 'publishDashboard', {}, { config: {}, allowEmbed: false })).toMatchObject({
      status: 403,
    });
    expect(await publish({ config: {} }, other)).toMatchObject({
      allowEmbed: true,
      versionNumber: 2,
      createdBy: owner.userId,
    });
  });

  it('keep a draft until it is cleared, which nobody sees as published', async () => {
    const draft = { kind: 'CLASSIC', widgets: [{ ...text('a'), type: 'TABS_CONTAINER' }], settings: { b: 1, a: 2 } };
    const stored = { ...draft, widgets: [{ ...text('a'), type: 'CONTAINER', config: { layout: 'tabs' } }] };
    expect(await saveDraft(draft)).toEqual({ dashboardDraft: stored, dashboardPublished: null });
    expect(await saveDraft(undefined)).toEqual({ dashboardDraft: stored, dashboardPublished: null });
    expect(await get()).toMatchObject({ dashboardDraft: stored, dashboardPublished: null, publishedDashboard: null });
    await publish();
    expect(await saveDraft(null)).toEqual({ dashboardDraft: null, dashboardPublished: stored });
    expect(await get()).toMatchObject({ dashboardDraft: null, dashboardPublished: stored });
  });

  it('publish the draft without a configuration, and another one without touching the draft', async () => {
    await saveDraft({ title: 'Draft', description: 'D', widgets: [text('a')] });
    const first = await publish();
    expect(first).toMatchObject({
      deploymentId,
      workbookId: path.workbookId,
      status: 'published',
      allowEmbed: false,
      title: 'Draft',
      description: 'D',
      versionNumber: 1,
      createdBy: owner.userId,
      reportSnapshots: [],
    });
    expect(first.publicId).toMatch(/^[0-9A-Za-z]{12}$/);
    const { id, publicId } = first;
    const second = await publish({ config: { widgets: [] }, title: 'T', description: 'E' });
    expect(second).toMatchObject({
      id,
      publicId,
      versionNumber: 2,
      title: 'T',
      description: 'E',
      config: { widgets: [] },
    });
    expect(second.versionId).not.toBe(first.versionId);
    expect(await get()).toMatchObject({ dashboardDraft: { title: 'Draft' }, publishedDashboard: second });
  });

  it('freeze each report once, as it is when it is published', async () => {
    const query = { name: 'Sales', jsonQuery: '{"measures":[]}', version: 3, meta: { kind: 'kpi' } };
    const report = await content.report(owner, { deploymentId }, query);
    const widgets = [chart('a', report), text('b'), chart('c', report), { id: 'd', type: 'CHART', position }];
    const published = await publish({ config: { widgets } });
    const frozen = { reportId: report, versionNumber: 3, name: 'Sales', kind: 'kpi', jsonQuery: '{"measures":[]}' };
    expect(published.reportSnapshots).toMatchObject([frozen]);
    await content.rows(tenantId, `update report set json_query = 'new', version = 4 where id = $1`, [report]);
    expect(await get()).toMatchObject({ publishedDashboard: { reportSnapshots: [frozen] } });
    expect(await publish({ config: { widgets } })).toMatchObject({
      reportSnapshots: [{ ...frozen, jsonQuery: 'new', versionNumber: 4 }],
    });
    expect(await version(published.versionId)).toEqual(published);
  });

  it('get different numbers when several publish at once', async () => {
    const replies = await Promise.all([1, 2, 3, 4].map(() => publish({ config: {} })));
    expect(replies.map(({ versionNumber }) => versionNumber).sort()).toEqual([1, 2, 3, 4]);
    expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
    expect(new Set(replies.map(({ versionId }) => versionId)).size).toBe(4);
  });

  it('keep the thread of an AI widget without a new version', async () => {
    expect(await refusal(owner, 'updatePublishedDashboardAiWidgetThread')).toMatchObject({
      code: 'dashboard.not_published',
    });
    const widget = { id: 'a', type: 'AI', position, config: { z: 1, prompt: 'p' } };
    const { versionId } = await publish({ config: { widgets: [widget, text('b')] } });
    for (const widgetId of ['x', 'b']) {
      const body = { widgetId };
      expect(await refusal(owner, 'updatePublishedDashboardAiWidgetThread', {}, body)).toMatchObject({
        status: 404,
        code: 'dashboard.widget_not_found',
      });
    }
    const config = { widgets: [{ ...widget, config: { z: 1, prompt: 'p', threadId: 't', checksum: 'c' } }, text('b')] };
    expect(await setThread({ widgetId: 'a', checksum: 'c' })).toMatchObject({ versionId, versionNumber: 1, config });
    expect(await get()).toMatchObject({ dashboardPublished: config });
    await setThread({ widgetId: 'a' });
    expect(await get()).toMatchObject({ dashboardPublished: { widgets: [{ config: { checksum: null } }, {}] } });
  });

  it('refuse versions that are not there or of another workbook: 404', async () => {
    const { versionId } = await publish({ config: {} });
    const { id } = await workspace.call(owner, 'createWorkbook', { path: { deploymentId }, body: {} });
    for (const operationId of ['getDashboardVersion', 'restoreDashboardVersion'] as const) {
      const lost = { status: 404, code: 'dashboard.version_not_found' };
      expect(await refusal(owner, operationId, { versionId: 999_999 })).toEqual(lost);
      expect(await refusal(owner, operationId, { versionId, workbookId: id })).toEqual(lost);
    }
  });

  it('list their versions newest first, page by page, with who published them', async () => {
    expect(await versions()).toMatchObject({ items: [] });
    for (const title of ['one', 'two', 'three']) await publish({ config: {}, title });
    const first = await versions({ first: 2 });
    expect(first).toMatchObject({
      items: [
        { versionNumber: 3, title: 'three', user: { id: owner.userId, email: owner.email } },
        { versionNumber: 2, title: 'two' },
      ],
      pageInfo: { hasNextPage: true },
    });
    const rest = await versions({ first: 2, after: first.pageInfo.endCursor });
    expect(rest.items).toMatchObject([{ versionNumber: 1, title: 'one' }]);
  });

  it('come back as the next version with their reports as they were frozen, also when these are gone', async () => {
    const report = await content.report(owner, { deploymentId }, { name: 'Sales', jsonQuery: 'old' });
    const first = await publish({ config: { widgets: [chart('a', report)] }, title: 'one', allowEmbed: true });
    await publish({ config: {}, title: 'two' });
    await saveDraft({ title: 'draft' });
    await content.rows(tenantId, 'delete from item where id = $1', [report]);
    const restored = await restore(first.versionId);
    const { id, publicId, config, title } = first;
    expect(restored).toMatchObject({ id, publicId, config, title, versionNumber: 3, allowEmbed: true });
    expect(restored.reportSnapshots).toMatchObject([{ reportId: report, name: 'Sales', jsonQuery: 'old' }]);
    expect(await get()).toMatchObject({ publishedDashboard: restored, dashboardDraft: { title: 'draft' } });
    expect(await version(first.versionId)).toEqual(first);
  });

  it('are told to other services when they go with their workbook, and once', async () => {
    const { id: dashboardId } = await publish({ config: { widgets: [text('a')] } });
    expect(await deletedDashboards()).toEqual([]);
    const other = await workspace.call(owner, 'createWorkbook', { path: { deploymentId }, body: {} });
    await workspace.call(owner, 'deleteWorkbook', { path: { deploymentId, workbookId: other.id } });
    expect(await deletedDashboards()).toEqual([]);
    await workspace.call(owner, 'deleteWorkbook', { path });
    expect(await deletedDashboards()).toEqual([{ payload: { deploymentId, dashboardId } }]);
  });
});
