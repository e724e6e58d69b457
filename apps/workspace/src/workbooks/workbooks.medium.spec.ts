import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { OperationId } from '@plinth/contract';
import { StoredContent } from '../testing/stored-content';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

const text = (id: string) => ({ id, type: 'TEXT', position: { x: 0, y: 0, w: 1, h: 1 } });

describe.each(transports)('workbooks over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let content: StoredContent;
  let tenantId: number, deploymentId: number;
  let admin: Principal;
  let owner: Principal & { userId: number };
  let other: Principal & { userId: number };

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
    content = new StoredContent(workspace);
  });
  afterAll(() => workspace.stop());
  beforeEach(() => {
    ({ tenantId, deploymentId, admin } = workspace.newTenant());
    owner = workspace.newUser(tenantId);
    other = workspace.newUser(tenantId);
  });

  const create = (by: Principal, body: object = {}) =>
    workspace.call(by, 'createWorkbook', { path: { deploymentId }, body });
  const get = (by: Principal, workbookId: number) =>
    workspace.call(by, 'getWorkbook', { path: { deploymentId, workbookId } });
  const update = (by: Principal, workbookId: number, body: object) =>
    workspace.call(by, 'updateWorkbook', { path: { deploymentId, workbookId }, body });
  const remove = (by: Principal, workbookId: number) =>
    workspace.call(by, 'deleteWorkbook', { path: { deploymentId, workbookId } });
  const list = (by: Principal, query: object = {}) =>
    workspace.call(by, 'getWorkbooks', { path: { deploymentId }, query });
  const refusal = (by: Principal, operationId: OperationId, path: object = {}, body: object = {}) =>
    workspace.refusal(by, operationId, { path: { deploymentId, ...path }, body });
  const names = async (by: Principal, query: object = {}) => (await list(by, query)).items.map(({ name }) => name);

  describe('are refused', () => {
    const about = ['getWorkbook', 'updateWorkbook', 'deleteWorkbook', 'markWorkbookAsFavorite'] as const;

    it.each([...about, 'unmarkWorkbookAsFavorite'] as const)(
      'by %s when they are not there, elsewhere, or unknown to the caller: 404',
      async (operationId) => {
        const { id: workbookId } = await create(owner);
        const second = workspace.newTenant();
        workspace.deployments.set(second.deploymentId + 500_000, { tenantId });
        expect(await refusal(admin, operationId, { workbookId: 999_999 })).toMatchObject({ status: 404 });
        expect(await refusal(other, operationId, { workbookId })).toMatchObject({ status: 404 });
        const elsewhere = { workbookId, deploymentId: second.deploymentId + 500_000 };
        expect(await refusal(admin, operationId, elsewhere)).toMatchObject({ status: 404, code: 'workbook.not_found' });
        const unknown = { workbookId, deploymentId: second.deploymentId };
        expect(await refusal(admin, operationId, unknown)).toMatchObject({ code: 'deployment.not_found' });
        expect(await refusal(second.admin, operationId, { workbookId })).toMatchObject({ status: 404 });
      },
    );

    it('to those who may only read or edit, what needs more: 403, and nothing changes', async () => {
      const { id: workbookId } = await create(owner, { name: 'Mine' });
      content.allow(other, 'Workbook', workbookId, 'read');
      expect(await refusal(other, 'updateWorkbook', { workbookId }, { name: 'x' })).toMatchObject({ status: 403 });
      content.allow(other, 'Workbook', workbookId, 'edit');
      await update(other, workbookId, { name: 'Ours' });
      const move = { name: 'x', folderId: null };
      expect(await refusal(other, 'updateWorkbook', { workbookId }, move)).toMatchObject({ status: 403 });
      expect(await refusal(other, 'deleteWorkbook', { workbookId })).toMatchObject({ status: 403 });
      expect(await get(owner, workbookId)).toMatchObject({ name: 'Ours' });
    });

    it('in folders that one may not edit, or that are not there', async () => {
      const folderId = await content.folder(owner, { deploymentId });
      const { id: workbookId } = await create(other);
      for (const [operationId, path] of [
        ['createWorkbook', {}],
        ['updateWorkbook', { workbookId }],
      ] as const) {
        expect(await refusal(other, operationId, path, { folderId: 999_999 })).toMatchObject({ status: 404 });
        expect(await refusal(other, operationId, path, { folderId })).toMatchObject({ code: 'folder.not_found' });
        expect(await refusal(other, operationId, path, { folderId: workbookId })).toMatchObject({ status: 404 });
      }
      content.allow(other, 'Folder', folderId, 'read');
      expect(await refusal(other, 'createWorkbook', {}, { folderId })).toMatchObject({ status: 403 });
      const change = { name: 'x', folderId };
      expect(await refusal(other, 'updateWorkbook', { workbookId }, change)).toMatchObject({ status: 403 });
      expect(await get(other, workbookId)).toMatchObject({ name: 'Untitled', folderId: null });
      expect((await list(other)).count).toBe(1);
    });

    it('with two widgets of one id in the draft, in create and update alike, and nothing is made', async () => {
      const meta = { dashboardDraft: { widgets: [text('a'), text('a')] } };
      expect(await refusal(owner, 'createWorkbook', {}, { meta })).toMatchObject({ status: 400 });
      const { id: workbookId } = await create(owner, { name: 'Kept' });
      const change = { name: 'x', meta };
      expect(await refusal(owner, 'updateWorkbook', { workbookId }, change)).toMatchObject({ status: 400 });
      expect(await names(owner)).toEqual(['Kept']);
    });

    it('when listed by a cursor of another filter, or for a folder that is not there', async () => {
      for (let count = 0; count < 2; count += 1) await create(owner);
      const { pageInfo } = await list(owner, { first: 1 });
      const query = { first: 1, folderId: 0, after: pageInfo?.endCursor };
      expect(await workspace.refusal(owner, 'getWorkbooks', { path: { deploymentId }, query })).toMatchObject({
        status: 400,
        code: 'request.cursor_invalid',
      });
      const lost = { path: { deploymentId }, query: { folderId: 999_999 } };
      expect(await workspace.refusal(owner, 'getWorkbooks', lost)).toMatchObject({ code: 'folder.not_found' });
    });
  });

  it('are called Untitled when nobody names them, and belong to whoever makes them', async () => {
    const made = await create(owner);
    expect(made).toMatchObject({
      name: 'Untitled',
      type: 'WORKBOOK',
      deploymentId,
      folderId: null,
      folderPath: [],
      slug: null,
      meta: {},
      calculatedFields: {},
      dashboardDraft: null,
      dashboardPublished: null,
      publishedDashboard: null,
      isFavorite: false,
      userId: owner.userId,
      createdBy: owner.userId,
      user: { id: owner.userId, email: owner.email },
    });
    expect(await get(owner, made.id)).toEqual(made);
    expect(await create(owner, { name: '  Padded ' })).toMatchObject({ name: 'Padded' });
  });

  it('show the folders that they lie in from the root down, to those who may only read them as well', async () => {
    const outer = await content.folder(owner, { deploymentId }, 'Outer');
    const folderId = await content.folder(owner, { deploymentId, path: [outer] }, 'Inner');
    const { id } = await create(owner, { folderId });
    content.allow(other, 'Workbook', id, 'read');
    const place = {
      folderId,
      folderPath: [
        { id: outer, name: 'Outer' },
        { id: folderId, name: 'Inner' },
      ],
    };
    expect(await get(other, id)).toMatchObject(place);
    expect((await list(other)).items).toMatchObject([place]);
    expect(await names(other, { folderId })).toEqual(['Untitled']);
    expect(await names(other, { folderId: outer })).toEqual([]);
  });

  it('change in what is sent alone: names, metadata that is replaced, and a draft that stays', async () => {
    const dashboardDraft = { kind: 'CLASSIC', widgets: [text('a')], settings: { b: 1, a: [1.5, null] } };
    const { id } = await create(owner, { name: 'A', meta: { one: 1, dashboardDraft } });
    expect(await get(owner, id)).toMatchObject({ meta: { one: 1 }, dashboardDraft });
    expect(await update(owner, id, { name: ' B ' })).toMatchObject({ name: 'B', meta: { one: 1 }, dashboardDraft });
    const replaced = await update(owner, id, { meta: { two: 2 } });
    expect(replaced).toMatchObject({ name: 'B', dashboardDraft });
    expect(replaced.meta).toEqual({ two: 2 });
    expect((await update(owner, id, { name: null, meta: null })).meta).toEqual({});
    expect(await update(owner, id, { meta: { dashboardDraft: null } })).toMatchObject({
      name: 'B',
      dashboardDraft: null,
    });
  });

  it('keep what clients put into metadata as it came: order, numbers, empty names', async () => {
    const meta = { z: 1, a: { '': null, y: [1e21, 0.1, -0.5], b: 'ü\u0000' }, m: [] };
    const { id } = await create(owner, { meta });
    expect(JSON.stringify((await get(owner, id)).meta)).toBe(JSON.stringify(meta));
  });

  it('say when they were changed last, and do not when nothing changes', async () => {
    const { id, updatedAt } = await create(owner, { name: 'A', meta: { a: 1 } });
    expect(await update(owner, id, { name: 'A', meta: { a: 1 }, folderId: null, slug: null })).toMatchObject({
      updatedAt,
    });
    expect((await update(owner, id, { name: 'B' })).updatedAt > updatedAt).toBe(true);
  });

  it('move with their reports, into a folder and back to the root', async () => {
    const outer = await content.folder(owner, { deploymentId });
    const folderId = await content.folder(owner, { deploymentId, path: [outer] });
    const { id } = await create(owner);
    const report = await content.report(owner, { deploymentId, path: [id] });
    const pathOf = async () =>
      (await content.rows<{ path: number[] }>(tenantId, 'select path from item where id = $1', [report]))[0]?.path;
    expect(await update(owner, id, { folderId })).toMatchObject({
      folderId,
      folderPath: [{ id: outer }, { id: folderId }],
    });
    expect(await pathOf()).toEqual([outer, folderId, id]);
    expect(await update(owner, id, { folderId: null })).toMatchObject({ folderId: null, folderPath: [] });
    expect(await pathOf()).toEqual([id]);
  });

  it('go with their dashboard, and leave their reports to the folder that they lay in', async () => {
    const folderId = await content.folder(owner, { deploymentId });
    const { id } = await create(owner, { folderId });
    const report = await content.report(owner, { deploymentId, path: [folderId, id] });
    const config = { widgets: [{ ...text('a'), type: 'CHART', config: { reportId: report } }] };
    const body = { workbookId: id, config };
    await workspace.call(owner, 'publishDashboard', { path: { deploymentId, workbookId: id }, body });
    expect(await remove(owner, id)).toEqual({});
    expect(await refusal(owner, 'getWorkbook', { workbookId: id })).toMatchObject({ status: 404 });
    const [kept] = await content.rows(tenantId, 'select parent_id, path from item where id = $1', [report]);
    expect(kept).toEqual({ parent_id: folderId, path: [folderId] });
    for (const table of ['workbook', 'dashboard', 'dashboard_version', 'report_snapshot', 'item_view'])
      expect(await content.rows(tenantId, `select * from ${table}`)).toEqual([]);
  });

  it('are listed oldest first, page by page, while they change and go, without their dashboards', async () => {
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) ids.push((await create(owner, { name, meta: { name } })).id);
    await create(other, { name: 'hidden' });
    const first = await list(owner, { first: 2 });
    expect(first).toMatchObject({ count: 4, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    expect(first.data).toEqual(first.items);
    expect(first.items).toMatchObject([
      { id: ids[0], meta: { name: 'a' } },
      { id: ids[1], meta: { name: 'b' } },
    ]);
    expect(first.items[0]).not.toHaveProperty('dashboardDraft');
    await update(owner, ids[2] as number, { name: 'renamed' });
    await remove(owner, ids[1] as number);
    const rest = await list(owner, { first: 2, after: first.pageInfo?.endCursor });
    expect(rest.items.map(({ name }) => name)).toEqual(['renamed', 'd']);
    expect(rest).toMatchObject({ count: 3, pageInfo: { hasNextPage: false, hasPreviousPage: true } });
    expect(await names(admin)).toEqual(['a', 'renamed', 'd', 'hidden']);
  });

  it('are listed for one folder or the root, without those of others', async () => {
    const folderId = await content.folder(owner, { deploymentId });
    await create(owner, { name: 'inside', folderId });
    await create(owner, { name: 'outside' });
    expect(await names(owner, { folderId })).toEqual(['inside']);
    expect(await names(owner, { folderId: 0 })).toEqual(['outside']);
    expect(await names(owner)).toEqual(['inside', 'outside']);
    expect(await list(other)).toMatchObject({ items: [], count: 0 });
    content.allow(other, 'Folder', folderId, 'read');
    expect(await names(other)).toEqual(['inside']);
  });

  it('fill shorter pages when they are large, and the walk still meets each once', async () => {
    const meta = { text: 'x'.repeat(5 * 2 ** 20) };
    for (const name of ['a', 'b', 'c']) await create(owner, { name, meta });
    const seen: string[] = [];
    let after: string | null | undefined;
    for (let more: boolean | undefined = true; more;) {
      const { items, pageInfo } = await list(owner, { ...(after && { after }) });
      expect(items.length).toBeLessThan(3);
      seen.push(...items.map(({ name }) => name));
      [after, more] = [pageInfo?.endCursor, pageInfo?.hasNextPage];
    }
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('are favourites of single users, however often they are marked', async () => {
    const { id: workbookId } = await create(owner);
    content.allow(other, 'Workbook', workbookId, 'read');
    const path = { deploymentId, workbookId };
    const twice = () => workspace.call(other, 'markWorkbookAsFavorite', { path });
    expect([await twice(), await twice()]).toEqual([undefined, undefined]);
    expect(await get(other, workbookId)).toMatchObject({ isFavorite: true });
    expect((await list(other)).items).toMatchObject([{ isFavorite: true }]);
    expect(await get(owner, workbookId)).toMatchObject({ isFavorite: false });
    for (let count = 0; count < 2; count += 1) await workspace.call(other, 'unmarkWorkbookAsFavorite', { path });
    expect(await get(other, workbookId)).toMatchObject({ isFavorite: false });
  });

  it('remember who looked at them, by their id alone', async () => {
    const { id } = await create(owner);
    await list(owner);
    const viewers = async () =>
      (await content.rows<{ user_id: number }>(tenantId, 'select user_id from item_view order by user_id')).map(
        ({ user_id }) => user_id,
      );
    expect(await viewers()).toEqual([]);
    content.allow(other, 'Workbook', id, 'read');
    for (const user of [owner, other, owner]) await get(user, id);
    expect(await viewers()).toEqual([owner.userId, other.userId]);
  });
});
