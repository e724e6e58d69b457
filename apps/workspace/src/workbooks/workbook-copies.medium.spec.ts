import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { StoredContent } from '../testing/stored-content';
import { startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

const chart = (id: string, reportId: number) => ({
  id,
  type: 'CHART',
  position: { x: 0, y: 0, w: 1, h: 1 },
  config: { reportId, colour: 'red' },
});

describe('copies of workbooks', () => {
  let workspace: WorkspaceFixture;
  let content: StoredContent;
  let tenantId: number, deploymentId: number;
  let owner: Principal & { userId: number };
  let other: Principal & { userId: number };
  let workbookId: number, inside: number, outside: number;

  beforeAll(async () => {
    workspace = await startWorkspace();
    content = new StoredContent(workspace);
  });
  afterAll(() => workspace.stop());
  beforeEach(async () => {
    ({ tenantId, deploymentId } = workspace.newTenant());
    owner = workspace.newUser(tenantId);
    other = workspace.newUser(tenantId);
    workbookId = (await create({ name: 'Sales', meta: { a: 1 } })).id;
    inside = await content.report(
      owner,
      { deploymentId, path: [workbookId] },
      { name: 'In', jsonQuery: '{}', version: 4 },
    );
    outside = await content.report(owner, { deploymentId }, { name: 'Out', sqlQuery: 'select 1' });
  });

  const create = (body: object) => workspace.call(owner, 'createWorkbook', { path: { deploymentId }, body });
  const copy = (by: Principal, body?: object) =>
    workspace.call(by, 'duplicateWorkbook', { path: { deploymentId, workbookId }, ...(body && { body }) });
  const share = () => {
    const body = { allEmbedUsers: true, action: 'read' };
    return workspace.call(owner, 'updateEmbedAccess', { path: { deploymentId, workbookId }, body });
  };
  /** A user of the account in an embed session. */
  const inSession = (isCreator: boolean): Principal => ({
    ...owner,
    kind: 'embed-session',
    embed: {
      sessionId: 'a',
      deploymentId,
      embedUserId: null,
      embedTenantName: null,
      groupIds: [],
      isCreator,
      publicDashboardId: null,
    },
  });
  const refusal = (by: Principal, body: object = {}) =>
    workspace.refusal(by, 'duplicateWorkbook', { path: { deploymentId, workbookId }, body });
  const publish = (config: object, more: object = {}) =>
    workspace.call(owner, 'publishDashboard', {
      path: { deploymentId, workbookId },
      body: { workbookId, config, ...more } as never,
    });
  const saveDraft = (dashboardDraft: object) =>
    workspace.call(owner, 'updateWorkbookDashboard', { path: { deploymentId, workbookId }, body: { dashboardDraft } });
  const reportsIn = (id: number) =>
    content.rows<{ id: number; name: string; owner_id: number; version: number; json_query: string; path: number[] }>(
      tenantId,
      `select i.id, i.name, i.owner_id, i.path, r.version, r.json_query, r.public_id from item i join report r on r.id = i.id
       where i.parent_id = $1 order by i.id`,
      [id],
    );

  it('are refused to those who may not read the original, and from the shared workspace to whoever is not in creator mode', async () => {
    expect(await refusal(other)).toMatchObject({ status: 404 });
    expect(await refusal(owner, { shared: true })).toMatchObject({ status: 403 });
    expect(await refusal(inSession(false), { shared: true })).toMatchObject({ status: 403 });
    expect(await refusal(inSession(true), { shared: true })).toMatchObject({ status: 404 });
    await share();
    expect(await refusal(inSession(true), { shared: true })).toEqual({ status: 400, code: 'dashboard.not_published' });
    expect((await workspace.call(owner, 'getWorkbooks', { path: { deploymentId } })).count).toBe(1);
  });

  it('belong to the caller, who alone may read them, and have neither slug nor history', async () => {
    await workspace.call(owner, 'updateWorkbook', { path: { deploymentId, workbookId }, body: { slug: 'sales' } });
    content.allow(other, 'Workbook', workbookId, 'read');
    const made = await copy(other);
    expect(made).toMatchObject({
      name: 'Copy of Sales',
      slug: null,
      userId: other.userId,
      meta: { a: 1 },
      folderId: null,
    });
    const third = workspace.newUser(tenantId);
    content.allow(third, 'Workbook', workbookId, 'manage');
    const path = { deploymentId, workbookId: made.id };
    expect(await workspace.refusal(third, 'getWorkbook', { path })).toMatchObject({ status: 404 });
    expect(await content.rows(tenantId, 'select * from item_view where item_id = $1', [made.id])).toEqual([]);
  });

  it('have names that fit', async () => {
    const body = { name: '😀'.repeat(255) };
    await workspace.call(owner, 'updateWorkbook', { path: { deploymentId, workbookId }, body });
    const { name } = await copy(owner);
    expect([...name]).toHaveLength(255);
    expect(name.startsWith('Copy of 😀')).toBe(true);
  });

  it('lie beside the original for those who may edit the folder, at the root for others', async () => {
    const folderId = await content.folder(owner, { deploymentId });
    await workspace.call(owner, 'updateWorkbook', { path: { deploymentId, workbookId }, body: { folderId } });
    expect(await copy(owner)).toMatchObject({ folderId });
    content.allow(other, 'Folder', folderId, 'read');
    expect(await copy(other)).toMatchObject({ folderId: null });
    content.allow(other, 'Folder', folderId, 'edit');
    expect(await copy(other, {})).toMatchObject({ folderId });
  });

  it('have reports of their own, which the draft and the published dashboard name; others stay', async () => {
    await saveDraft({ widgets: [chart('a', inside), chart('b', outside)] });
    const original = await publish(
      { widgets: [chart('a', inside), chart('c', outside)] },
      { allowEmbed: true, title: 'T' },
    );
    const made = await copy(owner);
    const [report, ...more] = await reportsIn(made.id);
    expect(more).toEqual([]);
    expect(report).toMatchObject({ name: 'In', owner_id: owner.userId, version: 1, json_query: '{}', path: [made.id] });
    expect(report?.id).not.toBe(inside);
    expect(made).toMatchObject({
      dashboardDraft: {
        widgets: [{ config: { reportId: report?.id, colour: 'red' } }, { config: { reportId: outside } }],
      },
      publishedDashboard: {
        title: 'T',
        allowEmbed: false,
        versionNumber: 1,
        config: { widgets: [{ config: { reportId: report?.id } }, { config: { reportId: outside } }] },
        reportSnapshots: [{ reportId: report?.id, name: 'In', versionNumber: 4 }, { reportId: outside }],
      },
    });
    expect(made.publishedDashboard?.publicId).not.toBe(original.publicId);
    expect(await reportsIn(workbookId)).toHaveLength(1);
  });

  it('need no dashboard', async () => {
    expect(await copy(owner)).toMatchObject({ dashboardDraft: null, publishedDashboard: null });
  });

  it('of the shared workspace hold what was published alone, each report as it was frozen, at the root', async () => {
    const folderId = await content.folder(owner, { deploymentId });
    await workspace.call(owner, 'updateWorkbook', { path: { deploymentId, workbookId }, body: { folderId } });
    await publish({ widgets: [chart('a', inside), chart('b', outside), chart('c', inside)] });
    await saveDraft({ widgets: [] });
    await content.rows(tenantId, `update report set json_query = 'changed' where id = $1`, [inside]);
    await share();
    const made = await copy(inSession(true), { shared: true });
    const [first, second] = await reportsIn(made.id);
    expect([first, second]).toMatchObject([{ name: 'In', json_query: '{}' }, { name: 'Out' }]);
    const config = [first, second, first].map((report) => ({ config: { reportId: report?.id } }));
    expect(made).toMatchObject({
      folderId: null,
      meta: {},
      dashboardDraft: { widgets: config },
      dashboardPublished: { widgets: config },
      publishedDashboard: { reportSnapshots: [{ reportId: first?.id }, { reportId: second?.id }] },
    });
  });
});
