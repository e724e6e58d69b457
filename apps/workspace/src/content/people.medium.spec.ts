import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { operation, type OperationId } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { runInContext } from '@plinth/observability';
import { Client } from 'pg';
import { answered, startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';
import { put } from '../testing/content-fixture';
import { newEmbedUser } from '../testing/embed-surroundings';

/** Sessions that have begun a transaction with content and wait for whoever has begun it. */
const waiting = `
  select a.pid from pg_stat_activity a join pg_locks l on l.pid = a.pid
  where a.datname = current_database() and a.state = 'idle in transaction' and l.relation = 'workspace.item'::regclass`;

describe.each(transports)('who people are, %s', (transport) => {
  let workspace: WorkspaceFixture;
  let observer: Client;
  let admin: Principal & { userId: number };
  let where: { tenantId: number; deploymentId: number };
  let folder: number, workbook: number, report: number;

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
    observer = new Client({ connectionString: workspace.premises.url });
    await observer.connect();
    workspace.queryEngine = async () => answered({ data: [], annotation: {} });
    const { admin: administrator, ...tenant } = workspace.newTenant();
    [admin, where] = [administrator as typeof admin, tenant];
    const mine = { owner: admin };
    folder = await put(workspace.database, where, 'FOLDER', { ...mine, name: 'Sales' });
    workbook = await put(workspace.database, where, 'WORKBOOK', { ...mine, parent: folder });
    report = await put(workspace.database, where, 'REPORT', { ...mine, parent: folder });
    await call('updateReport', { reportId: report }, { body: { jsonQuery: '{"measures":["orders.count"]}' } });
    await call(
      'publishDashboard',
      { workbookId: workbook },
      { body: { workbookId: workbook, config: { widgets: [] } } },
    );
  });
  afterAll(async () => {
    await observer?.end();
    await workspace?.stop();
  });
  afterEach(() => (workspace.beforePeople = undefined));

  const call = (operationId: OperationId, path: object, request: object = {}): Promise<unknown> =>
    workspace.call(admin, operationId, { path: { deploymentId: where.deploymentId, ...path }, ...request });

  const asking: readonly [OperationId, () => { path?: object; query?: object; body?: unknown }][] = [
    ['createFolder', () => ({ body: { name: 'Costs' } })],
    ['getFolders', () => ({})],
    ['updateFolder', () => ({ path: { folderId: folder }, body: { name: 'Revenue' } })],
    ['getFolderAncestors', () => ({ path: { folderId: folder } })],
    ['workspaceObjects', () => ({})],
    ['workspaceObjects', () => ({ query: { search: 'o' } })],
    ['moveWorkspaceObject', () => ({ body: { type: 'WORKBOOK', id: workbook, folderId: null } })],
    ['bulkMoveWorkspaceObjects', () => ({ body: { items: [{ type: 'WORKBOOK', id: workbook }], folderId: folder } })],
    ['createWorkbook', () => ({ body: { name: 'Costs' } })],
    ['getWorkbooks', () => ({})],
    ['getWorkbook', () => ({ path: { workbookId: workbook } })],
    ['updateWorkbook', () => ({ path: { workbookId: workbook }, body: { name: 'Churn' } })],
    ['upsertWorkbookBySlug', () => ({ path: { slug: 'costs' }, body: { name: 'Costs' } })],
    ['duplicateWorkbook', () => ({ path: { workbookId: workbook } })],
    ['listDashboardVersions', () => ({ path: { workbookId: workbook } })],
    ['createReport', () => ({ body: { name: 'Costs' } })],
    ['getReports', () => ({})],
    ['getReport', () => ({ path: { reportId: report } })],
    ['updateReport', () => ({ path: { reportId: report }, body: { name: 'Churn' } })],
    ['upsertReportByPublicId', () => ({ path: { publicId: 'costsOfIt202' }, body: { name: 'Costs' } })],
    ['refreshReport', () => ({ path: { reportId: report } })],
  ];

  it.each(asking)('%s asks it when its transaction is done', async (operationId, request) => {
    const seen: number[] = [];
    workspace.beforePeople = async () => void seen.push((await observer.query(waiting)).rowCount ?? 0);
    const { path = {}, ...rest } = request();
    await call(operationId, path, rest);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((count) => count > 0)).toEqual([]);
  });

  const silence: readonly [string, () => Promise<void>][] = [
    ['fails', () => Promise.reject(new AppError('service.unavailable', 'down'))],
    ['does not answer', () => new Promise(() => undefined)],
  ];
  const writes = asking.filter(([operationId]) => operation(operationId).method !== 'GET');
  const reads = asking.filter(([operationId]) => operation(operationId).method === 'GET');

  it.each(writes)('%s is answered as saved, with ids alone, when nobody tells it', async (operationId, request) => {
    const { path = {}, ...rest } = request();
    workspace.beforePeople = silence[0]?.[1];
    const reply = await call(operationId, path, rest);
    const [thing] = operationId === 'bulkMoveWorkspaceObjects' ? (reply as { moved: unknown[] }).moved : [reply];
    expect(thing).toMatchObject({ user: { id: admin.userId, email: '', firstName: null, picture: null } });
  });

  it('is the id alone of an embed user whose workbook was saved, when nobody tells it', async () => {
    const owner = newEmbedUser(workspace, where, { embedTenantName: 'acme', isCreator: true });
    const workbookId = await put(workspace.database, where, 'WORKBOOK', { owner });
    workspace.beforePeople = silence[0]?.[1];
    const reply = await call('updateWorkbook', { workbookId }, { body: { name: 'Churn' } });
    expect(reply).toMatchObject({ name: 'Churn', user: { id: owner.embed.embedUserId, email: '', firstName: null } });
  });

  it('is not told of users of the account to an embed user, whose workbook one of them has published', async () => {
    const owner = newEmbedUser(workspace, where, { embedTenantName: 'acme', isCreator: true });
    const workbookId = await put(workspace.database, where, 'WORKBOOK', { owner });
    await call('publishDashboard', { workbookId }, { body: { workbookId, config: { widgets: [] } } });
    const request = { path: { deploymentId: where.deploymentId, workbookId } };
    const { items } = await workspace.call(owner, 'listDashboardVersions', request);
    expect(items).toMatchObject([{ user: null }]);
  });

  it.each(reads)('%s is refused when nobody tells it', async (operationId, request) => {
    const { path = {}, ...rest } = request();
    workspace.beforePeople = silence[0]?.[1];
    await expect(call(operationId, path, rest)).rejects.toMatchObject({ status: 503 });
  });

  it.each(silence)('is told to a repeat of a write that was saved while the control plane %s', async (_how, told) => {
    const idempotency = { key: `saved-${_how}`, fingerprint: 'f', operationId: 'createFolder' };
    const create = () =>
      runInContext({ requestId: 'r', idempotency }, () => call('createFolder', {}, { body: { name: 'Saved' } }));
    workspace.beforePeople = told;
    const saved = (await create()) as { id: number; user: object };
    expect(saved).toMatchObject({ name: 'Saved', user: { id: admin.userId, email: '' } });
    workspace.beforePeople = undefined;
    expect(await create()).toEqual({ ...saved, user: workspace.people.get(admin.userId) });
  });

  it('may be told late: others change the thing meanwhile', async () => {
    let answer = (): void => undefined;
    const told = new Promise<void>((resolve) => (answer = resolve));
    let late: Promise<unknown> | undefined;
    const asked = new Promise<void>((resolve) => {
      workspace.beforePeople = () => {
        workspace.beforePeople = undefined;
        resolve();
        return told;
      };
      late = call('updateFolder', { folderId: folder }, { body: { name: 'slow' } });
    });
    await asked;
    expect(await call('updateFolder', { folderId: folder }, { body: { name: 'quick' } })).toMatchObject({
      name: 'quick',
    });
    answer();
    expect(await late).toMatchObject({ name: 'slow', user: workspace.people.get(admin.userId) });
  });

  it('is told anew to a repeat under the same idempotency key', async () => {
    const idempotency = { key: 'once', fingerprint: 'f', operationId: 'createReport' };
    const create = (): Promise<unknown> =>
      runInContext({ requestId: 'r', idempotency }, () => call('createReport', {}, { body: { name: 'Once' } }));
    const first = await create();
    workspace.people.set(admin.userId, { id: admin.userId, email: 'new@example.com', firstName: 'New', picture: null });
    expect(await create()).toEqual({
      ...(first as object),
      user: workspace.people.get(admin.userId),
      refreshedByUser: workspace.people.get(admin.userId),
    });
  });
});
