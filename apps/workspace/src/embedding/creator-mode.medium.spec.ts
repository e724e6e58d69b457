import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import type { OperationId } from '@plinth/contract';
import { newEmbedUser } from '../testing/embed-surroundings';
import { put } from '../testing/content-fixture';
import { putDashboard } from '../testing/dashboard-content';
import { answered, startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

type Tenant = ReturnType<WorkspaceFixture['newTenant']>;
type EmbedUser = ReturnType<typeof newEmbedUser>;

describe('creator mode', () => {
  let workspace: WorkspaceFixture;
  let tenant: Tenant;
  let ada: EmbedUser, colleague: EmbedUser, stranger: EmbedUser, viewer: EmbedUser;

  beforeAll(async () => {
    workspace = await startWorkspace('in-process');
  });
  afterAll(() => workspace?.stop());
  beforeEach(() => {
    tenant = workspace.newTenant();
    const acme = { embedTenantName: 'acme', isCreator: true };
    ada = newEmbedUser(workspace, tenant, acme);
    colleague = newEmbedUser(workspace, tenant, acme);
    viewer = newEmbedUser(workspace, tenant, { embedTenantName: 'acme' });
    stranger = newEmbedUser(workspace, tenant, { embedTenantName: 'globex', isCreator: true });
  });

  const deployment = () => ({ deploymentId: tenant.deploymentId });
  const make = async (who: EmbedUser, name: string) =>
    (await workspace.call(who, 'createWorkbook', { path: deployment(), body: { name } })).id;
  const share = (workbookId: number, body: object, who = tenant.admin) =>
    workspace.call(who, 'updateEmbedAccess', { path: { ...deployment(), workbookId }, body });
  const seen = async (who: EmbedUser, operationId: 'workspaceObjects' | 'sharedWorkspaceObjects', query = {}) =>
    (await workspace.call(who, operationId, { path: deployment(), query })).items.map(({ id }) => id);

  /** Every operation on one thing, by what names it. */
  const onWorkbook = (workbookId: number, embedTenantName = 'acme'): [OperationId, object][] => [
    ['getWorkbook', {}],
    ['updateWorkbook', { body: { name: 'Mine' } }],
    ['deleteWorkbook', {}],
    ['duplicateWorkbook', { body: {} }],
    ['updateWorkbookDashboard', { body: { dashboardDraft: null } }],
    ['publishDashboard', { body: { workbookId, config: { widgets: [] } } }],
    ['updatePublishedDashboardAiWidgetThread', { body: { widgetId: 'a', threadId: 'b' } }],
    ['listDashboardVersions', {}],
    ['getDashboardVersion', { versionId: 1 }],
    ['restoreDashboardVersion', { versionId: 1 }],
    ['getEmbedAccess', {}],
    ['updateEmbedAccess', { body: { embedTenantName, action: 'read' } }],
    ['getDashboardData', { body: {} }],
  ];
  const onReport: [OperationId, object][] = [
    ['getReport', {}],
    ['updateReport', { body: { name: 'Mine' } }],
    ['deleteReport', {}],
    ['refreshReport', {}],
    ['getReportData', { body: {} }],
  ];
  const onFolder = (embedTenantName = 'acme'): [OperationId, object][] => [
    ['updateFolder', { body: { name: 'Mine' } }],
    ['deleteFolder', {}],
    ['getFolderAncestors', {}],
    ['getFolderEmbedAccess', {}],
    ['updateFolderEmbedAccess', { body: { embedTenantName, action: 'read' } }],
  ];
  const statuses = async (who: EmbedUser, ids: object, operations: readonly [OperationId, object][]) => {
    const outcomes: Record<string, number> = {};
    for (const [operationId, { body, versionId, ...rest }] of operations as [OperationId, Record<string, unknown>][]) {
      const path = { ...deployment(), ...ids, versionId };
      outcomes[operationId] = (await workspace.refusal(who, operationId, { path, body, ...rest })).status;
    }
    return outcomes;
  };
  const all = (operations: readonly [OperationId, object][], status: number) =>
    Object.fromEntries(operations.map(([operationId]) => [operationId, status]));

  it('is needed for all of the workspace: other embed users are refused, whatever they ask for', async () => {
    const { workbookId } = await putDashboard(workspace.database, tenant);
    const folderId = await put(workspace.database, tenant, 'FOLDER');
    const lists = ['workspaceObjects', 'getFolders', 'getWorkbooks', 'getReports', 'getReportFolders'] as const;
    for (const operationId of lists) {
      expect(await workspace.refusal(viewer, operationId, { path: deployment() })).toMatchObject({ status: 403 });
    }
    const operations = onWorkbook(workbookId).filter(([id]) => id !== 'getDashboardData');
    expect(await statuses(viewer, { workbookId }, operations)).toEqual(all(operations, 403));
    expect(await statuses(viewer, { folderId }, onFolder())).toEqual(all(onFolder(), 403));
    expect(await workspace.refusal(viewer, 'createWorkbook', { path: deployment() })).toMatchObject({ status: 403 });
  });

  it('shows nothing of the host in any operation, also of what is shared but as it was published', async () => {
    const { workbookId } = await putDashboard(workspace.database, tenant);
    const folderId = await put(workspace.database, tenant, 'FOLDER');
    const reportId = await put(workspace.database, tenant, 'REPORT', { parent: workbookId });
    for (const isShared of [false, true]) {
      if (isShared) await share(workbookId, { allEmbedUsers: true, action: 'read' });
      const operations = onWorkbook(workbookId).filter(([id]) => !isShared || id !== 'getDashboardData');
      expect(await statuses(ada, { workbookId }, operations)).toEqual(all(operations, 404));
      expect(await statuses(ada, { reportId }, onReport)).toEqual(all(onReport, 404));
      expect(await statuses(ada, { folderId }, onFolder())).toEqual(all(onFolder(), 404));
      const move = { type: 'WORKBOOK', id: workbookId, folderId: null };
      const moved = await workspace.refusal(ada, 'moveWorkspaceObject', { path: deployment(), body: move });
      expect(moved).toMatchObject({ status: 404 });
      const items = [{ type: 'REPORT', id: reportId }];
      const bulk = { path: deployment(), body: { items, folderId: null } };
      expect((await workspace.call(ada, 'bulkDeleteWorkspaceObjects', bulk)).failed).toMatchObject([
        { error: { status: 404 } },
      ]);
      expect((await workspace.call(ada, 'bulkMoveWorkspaceObjects', bulk)).failed).toMatchObject([
        { error: { status: 404 } },
      ]);
      const into = { path: deployment(), body: { name: 'x', folderId } };
      expect(await workspace.refusal(ada, 'createWorkbook', into)).toMatchObject({ status: 404 });
      const within = { path: deployment(), body: { name: 'x', workbookId } };
      expect(await workspace.refusal(ada, 'createReport', within)).toMatchObject({ status: 404 });
      for (const query of [{}, { search: 'o' }]) expect(await seen(ada, 'workspaceObjects', query)).toEqual([]);
      for (const operationId of ['getFolders', 'getWorkbooks', 'getReports'] as const) {
        expect(await workspace.call(ada, operationId, { path: deployment() })).toMatchObject({ items: [], count: 0 });
      }
    }
  });

  it('lets each make content that nobody else has, but administrators', async () => {
    const workbookId = await make(ada, 'Revenue');
    const { id: reportId } = await workspace.call(ada, 'createReport', {
      path: deployment(),
      body: { name: 'By month', workbookId, jsonQuery: '{"measures":["orders.count"]}' },
    });
    const { id: folderId } = await workspace.call(ada, 'createFolder', { path: deployment(), body: { name: 'Own' } });
    const explorer = workspace.newUser(tenant.tenantId);
    const kinds = ['Folder', 'Workbook', 'Report'] as const;
    const everything = kinds.map((resourceType) => ({ resourceType, resourceId: null, level: 'manage' as const }));
    workspace.policies.set(explorer.userId, everything);
    for (const other of [colleague, stranger, explorer as unknown as EmbedUser]) {
      const own = other.embed?.embedTenantName ?? 'acme';
      const [workbooks, folders] = [onWorkbook(workbookId, own), onFolder(own)];
      expect(await statuses(other, { workbookId }, workbooks)).toEqual(all(workbooks, 404));
      expect(await statuses(other, { reportId }, onReport)).toEqual(all(onReport, 404));
      expect(await statuses(other, { folderId }, folders)).toEqual(all(folders, 404));
      for (const query of [{}, { search: 'e' }]) expect(await seen(other, 'workspaceObjects', query)).toEqual([]);
    }
    const path = { ...deployment(), workbookId };
    const owner = { user: { id: ada.embed.embedUserId, firstName: 'Ada' }, userId: null };
    expect(await workspace.call(tenant.admin, 'getWorkbook', { path })).toMatchObject({ name: 'Revenue', ...owner });
    expect(await workspace.call(ada, 'getWorkbook', { path })).toMatchObject(owner);
    expect(await seen(ada, 'workspaceObjects')).toEqual([folderId, workbookId]);
    expect(await seen(ada, 'workspaceObjects', { search: 'month' })).toEqual([]);
  });

  it('gives no names that would tell of taken ones', async () => {
    const workbookId = await make(ada, 'Revenue');
    const slug = { path: { ...deployment(), workbookId }, body: { slug: 'revenue' } };
    expect(await workspace.refusal(ada, 'updateWorkbook', slug)).toMatchObject({ status: 403 });
    const report = { path: deployment(), body: { name: 'x', publicId: 'aaaabbbbcccc' } };
    expect(await workspace.refusal(ada, 'createReport', report)).toMatchObject({ status: 403 });
  });

  it('shares with the own embed tenant and with nobody else', async () => {
    const workbookId = await make(ada, 'Revenue');
    const path = { ...deployment(), workbookId };
    const own = { embedTenantName: 'acme', action: 'read' };
    for (const body of [
      { ...own, embedTenantName: 'globex' },
      { ...own, embedTenantName: 'none' },
    ]) {
      expect(await workspace.refusal(ada, 'updateEmbedAccess', { path, body })).toMatchObject({ status: 403 });
    }
    const everybody = { path, body: { allEmbedUsers: true, action: 'read' } };
    expect(await workspace.refusal(ada, 'updateEmbedAccess', everybody)).toMatchObject({ status: 403 });
    await share(workbookId, own, ada);
    expect(await seen(colleague, 'workspaceObjects')).toEqual([workbookId]);
    expect(await seen(viewer, 'sharedWorkspaceObjects')).toEqual([workbookId]);
    expect([await seen(stranger, 'workspaceObjects'), await seen(stranger, 'sharedWorkspaceObjects')]).toEqual([
      [],
      [],
    ]);
    const rename = { path, body: { name: 'Theirs' } };
    expect(await workspace.refusal(colleague, 'updateWorkbook', rename)).toMatchObject({ status: 403 });
    expect(await workspace.call(colleague, 'getWorkbook', { path })).toMatchObject({ user: { firstName: 'Ada' } });
    await share(workbookId, { embedTenantName: 'globex', action: 'read' });
    expect(await workspace.call(ada, 'getEmbedAccess', { path })).toMatchObject({
      tenants: [{ embedTenantName: 'acme' }],
    });
    expect(await workspace.call(stranger, 'getWorkbook', { path })).toMatchObject({ user: null, userId: null });
  });

  it('has a shared workspace: the same for all of an embed tenant, with the way there, and without owners', async () => {
    const { admin } = tenant;
    const folder = await put(workspace.database, tenant, 'FOLDER', { owner: admin });
    const shared = await put(workspace.database, tenant, 'WORKBOOK', { parent: folder, owner: admin });
    await put(workspace.database, tenant, 'WORKBOOK', { parent: folder, owner: admin });
    await put(workspace.database, tenant, 'REPORT', { owner: admin });
    await share(shared, { embedTenantName: 'acme', action: 'read' });
    for (const who of [ada, colleague, viewer]) {
      expect(await seen(who, 'sharedWorkspaceObjects')).toEqual([folder]);
      expect(await seen(who, 'sharedWorkspaceObjects', { folderId: folder })).toEqual([shared]);
      expect(await seen(who, 'sharedWorkspaceObjects', { search: 'work' })).toEqual([shared]);
    }
    expect(await seen(stranger, 'sharedWorkspaceObjects')).toEqual([]);
    const query = { folderId: folder };
    const hidden = await workspace.refusal(stranger, 'sharedWorkspaceObjects', { path: deployment(), query });
    expect(hidden).toMatchObject({ status: 404 });
    const { items } = await workspace.call(ada, 'sharedWorkspaceObjects', { path: deployment(), query });
    expect(items).toMatchObject([{ user: null, userId: null, folderPath: [{ id: folder }] }]);
    expect(items[0]).not.toHaveProperty('createdBy');
    expect((await workspace.call(admin, 'sharedWorkspaceObjects', { path: deployment() })).items).toEqual([]);
  });

  it('copies what was published of the shared workspace, and nothing else of it', async () => {
    const { admin } = tenant;
    const widgets = [{ id: 'a', type: 'CHART', position: { x: 0, y: 0, w: 1, h: 1 }, config: { reportId: 999 } }];
    const reports = { 999: { name: 'Orders', jsonQuery: '{"measures":["orders.count"]}' } };
    const { workbookId } = await putDashboard(workspace.database, tenant, { widgets, reports });
    await put(workspace.database, tenant, 'REPORT', { parent: workbookId, name: 'Secret' });
    const copy = { path: { ...deployment(), workbookId }, body: { shared: true } };
    expect(await workspace.refusal(ada, 'duplicateWorkbook', copy)).toMatchObject({ status: 404 });
    expect(await workspace.refusal(admin, 'duplicateWorkbook', copy)).toMatchObject({ status: 403 });
    expect(await workspace.refusal(viewer, 'duplicateWorkbook', copy)).toMatchObject({ status: 403 });
    await share(workbookId, { embedTenantName: 'acme', action: 'read' });
    expect(await workspace.refusal(stranger, 'duplicateWorkbook', copy)).toMatchObject({ status: 404 });
    const { id, publishedDashboard } = await workspace.call(ada, 'duplicateWorkbook', copy);
    expect(publishedDashboard).toMatchObject({
      allowEmbed: false,
      createdBy: null,
      reportSnapshots: [{ name: 'Orders' }],
    });
    const { items } = await workspace.call(ada, 'getReports', { path: deployment(), query: { workbookId: id } });
    expect(items).toMatchObject([{ name: 'Orders', workbookId: id, user: { firstName: 'Ada' } }]);
    expect(await seen(colleague, 'workspaceObjects')).toEqual([]);
    const plain = { path: deployment(), body: { allEmbedUsers: true, action: 'read' } };
    const unpublished = await put(workspace.database, tenant, 'WORKBOOK');
    await workspace.call(admin, 'updateEmbedAccess', { ...plain, path: { ...deployment(), workbookId: unpublished } });
    const nothing = { path: { ...deployment(), workbookId: unpublished }, body: { shared: true } };
    const refusal = await workspace.refusal(ada, 'duplicateWorkbook', nothing);
    expect(refusal).toEqual({ status: 400, code: 'dashboard.not_published' });
  });

  it('reads data on the branch and under the context of the session, each user their own', async () => {
    const reports = { 1: { jsonQuery: '{"measures":["orders.count"]}' } };
    const widgets = [{ id: 'a', type: 'CHART', position: { x: 0, y: 0, w: 1, h: 1 }, config: { reportId: 1 } }];
    const { workbookId } = await putDashboard(workspace.database, tenant, { widgets, reports });
    await share(workbookId, { allEmbedUsers: true, action: 'read' });
    const asked: unknown[] = [];
    workspace.queryEngine = async ({ body }) => {
      asked.push([body.branchName, body.securityContext]);
      return answered({ results: [{ data: [], annotation: { measures: {}, dimensions: {}, timeDimensions: {} } }] });
    };
    const request = { path: { ...deployment(), workbookId }, body: {} };
    workspace.embedSessions.set(ada.embed.sessionId, { securityContext: { row: 'ada' }, branchName: 'preview' });
    workspace.embedSessions.set(viewer.embed.sessionId, { securityContext: { row: 'viewer' } });
    await workspace.read(ada, 'getDashboardData', request);
    await workspace.read(viewer, 'getDashboardData', request);
    expect(asked).toEqual([
      ['preview', { row: 'ada' }],
      ['main', { row: 'viewer' }],
    ]);
    workspace.embedSessions.delete(viewer.embed.sessionId);
    const ended = await workspace.refusal(viewer, 'getDashboardData', request);
    expect(ended).toEqual({ status: 404, code: 'embed_session.ended' });
  });

  describe('of an embed tenant that is deleted', () => {
    const deliver = (embedTenantId: number, eventId: string = randomUUID()) =>
      workspace.call(systemPrincipal(tenant.tenantId), 'deliverEventsToWorkspace', {
        body: {
          tenantId: tenant.tenantId,
          events: [{ eventId, type: 'embed_tenant.deleted', payload: { embedTenantId, embedTenantName: 'acme' } }],
        },
      });

    it('takes what its users have made with it, and what was shared with it, but nothing of others', async () => {
      const embedTenantId = workspace.embedTenants.get(`${tenant.tenantId}/acme`) ?? 0;
      const { id: folder } = await workspace.call(ada, 'createFolder', { path: deployment(), body: { name: 'Own' } });
      const hosts = await put(workspace.database, tenant, 'WORKBOOK', { parent: folder, owner: tenant.admin });
      await put(workspace.database, tenant, 'REPORT', { parent: hosts, owner: tenant.admin });
      await share(hosts, { embedTenantName: 'acme', action: 'read' });
      await share(hosts, { embedTenantName: 'globex', action: 'read' });
      const kept = await make(stranger, 'Kept');
      const survivor = await make(colleague, 'Of a new embed tenant');
      workspace.embedPeople.delete(ada.embed.embedUserId);
      await deliver(embedTenantId);
      await deliver(embedTenantId);
      const { items } = await workspace.call(tenant.admin, 'workspaceObjects', { path: deployment() });
      expect(items.map(({ id }) => id).sort()).toEqual([hosts, kept, survivor].sort());
      const { tenants } = await workspace.call(tenant.admin, 'getEmbedAccess', {
        path: { ...deployment(), workbookId: hosts },
      });
      expect(tenants).toMatchObject([{ embedTenantName: 'globex' }]);
    });
  });
});
