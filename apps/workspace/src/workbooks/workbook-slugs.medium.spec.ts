import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { until } from '@plinth/testing';
import { TreeRepository } from '../content/tree.repository';
import { StoredContent } from '../testing/stored-content';
import { startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

const text = (more: object = {}) => ({ type: 'TEXT', position: { x: 0, y: 0, w: 1, h: 1 }, ...more });

describe('slugs of workbooks', () => {
  let workspace: WorkspaceFixture;
  let content: StoredContent;
  let tenantId: number, deploymentId: number;
  let owner: Principal & { userId: number };
  let other: Principal & { userId: number };

  beforeAll(async () => {
    workspace = await startWorkspace();
    content = new StoredContent(workspace);
  });
  afterAll(() => workspace.stop());
  beforeEach(() => {
    ({ tenantId, deploymentId } = workspace.newTenant());
    owner = workspace.newUser(tenantId);
    other = workspace.newUser(tenantId);
  });

  const put = (by: Principal, slug: string, body: object = {}) =>
    workspace.call(by, 'upsertWorkbookBySlug', { path: { deploymentId, slug }, body });
  const refusedPut = (by: Principal, slug: string, body: object = {}) =>
    workspace.refusal(by, 'upsertWorkbookBySlug', { path: { deploymentId, slug }, body });
  const create = (by: Principal) => workspace.call(by, 'createWorkbook', { path: { deploymentId }, body: {} });
  const update = (by: Principal, workbookId: number, body: object) =>
    workspace.call(by, 'updateWorkbook', { path: { deploymentId, workbookId }, body });
  const refusedUpdate = (by: Principal, workbookId: number, body: object) =>
    workspace.refusal(by, 'updateWorkbook', { path: { deploymentId, workbookId }, body });
  const get = (by: Principal, workbookId: number) =>
    workspace.call(by, 'getWorkbook', { path: { deploymentId, workbookId } });
  const count = async () => (await workspace.call(owner, 'getWorkbooks', { path: { deploymentId } })).count;

  describe('of an upsert', () => {
    it('are refused when blank, for a deployment that is not there, and with a bad draft: nothing is made', async () => {
      expect(await refusedPut(owner, ' ')).toMatchObject({ status: 400 });
      const elsewhere = { path: { deploymentId: 999_999, slug: 'a' } };
      expect(await workspace.refusal(owner, 'upsertWorkbookBySlug', elsewhere)).toMatchObject({ status: 404 });
      const meta = { dashboardDraft: { widgets: [text({ id: 'a' }), text({ id: 'a' })] } };
      expect(await refusedPut(owner, 'a', { meta })).toMatchObject({ status: 400 });
      expect(await count()).toBe(0);
    });

    it('that an import gives away while it waits for the tree are refused as overtaken', async () => {
      const made = await create(owner);
      const overtaken = await workspace.database.transaction(tenantId, async (tx) => {
        await new TreeRepository().lock(tx, deploymentId, 'alone');
        const upsert = refusedPut(owner, 'a');
        const waiting = `select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
        const isWaiting = async () => (await content.rows(tenantId, waiting)).length > 0;
        await until('the upsert waits', isWaiting, (waits) => waits);
        await content.rows(tenantId, `update workbook set slug = 'a' where id = $1`, [made.id]);
        return { upsert };
      });
      expect(await overtaken.upsert).toEqual({ status: 409, code: 'upsert_branch_changed' });
    });

    it('need the right to edit who has them, and to manage it with a folder, and to edit the folder', async () => {
      const { id } = await put(owner, 'a', { name: 'Mine' });
      expect(await refusedPut(other, 'a', { name: 'x' })).toMatchObject({ status: 403 });
      content.allow(other, 'Workbook', id, 'read');
      expect(await refusedPut(other, 'a', { name: 'x' })).toMatchObject({ status: 403 });
      content.allow(other, 'Workbook', id, 'edit');
      expect(await put(other, 'a', { name: 'Ours' })).toMatchObject({ id, name: 'Ours' });
      expect(await refusedPut(other, 'a', { name: 'x', folderId: null })).toMatchObject({ status: 403 });
      content.allow(other, 'Workbook', id, 'manage');
      const folderId = await content.folder(owner, { deploymentId });
      expect(await refusedPut(other, 'a', { name: 'x', folderId })).toMatchObject({ status: 404 });
      content.allow(other, 'Folder', folderId, 'read');
      expect(await refusedPut(other, 'a', { name: 'x', folderId })).toMatchObject({ status: 403 });
      expect(await refusedPut(other, 'new', { folderId })).toMatchObject({ status: 403 });
      expect(await get(owner, id)).toMatchObject({ name: 'Ours', folderId: null });
      content.allow(other, 'Folder', folderId, 'edit');
      expect(await put(other, 'a', { folderId })).toMatchObject({ id, folderId });
      expect(await put(other, 'new', { folderId })).toMatchObject({ slug: 'new', folderId });
    });

    it('lose white space and capitals, and make a workbook or change it: only what is sent, metadata merged', async () => {
      const dashboardDraft = { widgets: [text({ config: { text: 'Hi' } })] };
      const made = await put(owner, ' Sales ', { meta: { a: 1, b: { c: 1 } } });
      expect(made).toMatchObject({ name: 'Untitled', slug: 'sales', userId: owner.userId });
      const changed = await put(owner, 'SALES', { name: 'Sales', meta: { b: 2, dashboardDraft } });
      expect(changed).toMatchObject({ id: made.id, name: 'Sales', dashboardDraft: { widgets: [{ id: 'widget-1' }] } });
      expect(changed.meta).toEqual({ a: 1, b: 2 });
      expect(await count()).toBe(1);
    });

    it('change nothing when the same request comes again, not even the time of the last change', async () => {
      const body = { name: 'A', meta: { a: [1], dashboardDraft: { widgets: [text(), text()] } } };
      const made = await put(owner, 'a', body);
      expect(await put(owner, 'a', body)).toEqual(made);
    });

    it('belong to one deployment', async () => {
      const made = await put(owner, 'a');
      const second = 900_000 + deploymentId;
      workspace.deployments.set(second, { tenantId });
      const request = { path: { deploymentId: second, slug: 'a' }, body: {} };
      expect((await workspace.call(owner, 'upsertWorkbookBySlug', request)).id).not.toBe(made.id);
    });

    it('make one workbook of twenty requests at once, each of which succeeds', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `Name ${index}`);
      const replies = await Promise.all(names.map((name, index) => put(owner, 'a', { name, meta: { [name]: index } })));
      expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
      expect(await count()).toBe(1);
      const { meta, name } = await get(owner, replies[0]?.id ?? 0);
      expect(Object.keys(meta).sort()).toEqual([...names].sort());
      expect(names).toContain(name);
    });

    it('answer 409 and nothing else when the workbook is deleted or renamed at the same moment', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id: workbookId } = await put(owner, 'a');
        const racing = await Promise.allSettled([
          put(owner, 'a', { name: 'x' }),
          update(owner, workbookId, { slug: `b${round}` }),
          put(owner, 'a', { name: 'y' }),
          workspace.call(owner, 'deleteWorkbook', { path: { deploymentId, workbookId } }),
        ]);
        const codes = racing.flatMap((each) =>
          each.status === 'rejected' ? [(each.reason as { code: string }).code] : [],
        );
        expect(codes.filter((code) => !['upsert_branch_changed', 'workbook.not_found'].includes(code))).toEqual([]);
      }
      expect(await put(owner, 'a')).toMatchObject({ slug: 'a' });
    });
  });

  describe('of a change', () => {
    it('that another workbook has: 409, and a takeover needs the right to edit both', async () => {
      const { id: holder } = await put(owner, 'a');
      const { id } = await create(other);
      expect(await refusedUpdate(other, id, { name: 'x', slug: ' A ' })).toEqual({
        status: 409,
        code: 'workbook.slug_taken',
      });
      const takeover = { name: 'x', slug: 'a', slugTakeover: true };
      content.allow(other, 'Workbook', holder, 'read');
      expect(await refusedUpdate(other, id, takeover)).toMatchObject({ status: 403 });
      expect(await get(other, id)).toMatchObject({ name: 'Untitled', slug: null });
      content.allow(other, 'Workbook', holder, 'edit');
      expect(await update(other, id, takeover)).toMatchObject({ name: 'x', slug: 'a' });
      expect(await get(owner, holder)).toMatchObject({ slug: null });
    });

    it('are kept trimmed and in lower case, and go with null', async () => {
      const { id } = await create(owner);
      expect(await update(owner, id, { slug: ' Q1 Sales ' })).toMatchObject({ slug: 'q1 sales' });
      expect(await update(owner, id, { slug: 'q1 sales' })).toMatchObject({ slug: 'q1 sales' });
      expect(await update(owner, id, { slug: null })).toMatchObject({ slug: null });
    });

    it('have one holder when many take them over at once', async () => {
      const ids: number[] = [];
      for (let index = 0; index < 6; index += 1) ids.push((await create(owner)).id);
      await Promise.all(ids.map((id) => update(owner, id, { slug: 'a', slugTakeover: true })));
      const slugs = await Promise.all(ids.map(async (id) => (await get(owner, id)).slug));
      expect(slugs.filter((slug) => slug === 'a')).toHaveLength(1);
    });
  });
});
