import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

type Report = ReplyOf<'getReport'>;

const QUERY = JSON.stringify({ measures: ['orders.count'] });
const NOBODYS = 'q7XbT2mZk4Lw';
const missing = { status: 404, code: 'report.not_found' };
const denied = { status: 403, code: 'access.denied' };
const taken = { status: 409, code: 'report.public_id_taken' };
const invalid = { status: 400, code: 'request.invalid' };

describe.each(transports)('reports over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let tenantId: number;
  let deploymentId: number;
  let admin: Principal;
  let owner: Principal & { userId: number };
  let reader: Principal & { userId: number };

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace.stop());
  beforeEach(() => {
    ({ tenantId, deploymentId, admin } = workspace.newTenant());
    owner = workspace.newUser(tenantId);
    reader = workspace.newUser(tenantId);
  });

  const at = (reportId: number) => ({ deploymentId, reportId });
  const create = (body?: object, who = owner): Promise<Report> =>
    workspace.call(who, 'createReport', { path: { deploymentId }, body });
  const get = (id: number, who: Principal = owner): Promise<Report> =>
    workspace.call(who, 'getReport', { path: at(id) });
  const update = (id: number, body: object, who: Principal = owner): Promise<Report> =>
    workspace.call(who, 'updateReport', { path: at(id), body });
  const upsert = (publicId: string, body?: object, who: Principal = owner): Promise<Report> =>
    workspace.call(who, 'upsertReportByPublicId', { path: { deploymentId, publicId }, body });
  const list = (query: object = {}, who: Principal = owner) =>
    workspace.call(who, 'getReports', { path: { deploymentId }, query });
  const names = async (query: object = {}, who: Principal = owner) => (await list(query, who)).items.map((r) => r.name);
  const allow = (who: { userId: number }, resourceId: number, level: 'read' | 'edit' | 'manage') =>
    workspace.policies.set(who.userId, [
      ...(workspace.policies.get(who.userId) ?? []),
      { resourceType: 'Report', resourceId, level },
    ]);
  const item = (type: 'FOLDER' | 'WORKBOOK', path: number[] = [], ownerId = owner.userId): Promise<number> =>
    workspace.database.transaction(tenantId, async (tx) => {
      const [{ id }] = await managerFor(tx).query<[{ id: number }]>(
        `insert into item (tenant_id, deployment_id, type, name, parent_id, path, owner_id, position)
         values ($1, $2, $3, $3, $4, $5, $6, case when $3 = 'FOLDER' then 0 end) returning id`,
        [tenantId, deploymentId, type, path.at(-1) ?? null, path, ownerId],
      );
      return id;
    });

  describe('are not there', () => {
    it('for another tenant, in another deployment, and for who may not read them', async () => {
      const { id } = await create();
      const other = workspace.newTenant();
      const path = at(id);
      for (const operation of ['getReport', 'updateReport', 'deleteReport', 'refreshReport'] as const) {
        expect(await workspace.refusal(other.admin, operation, { path })).toEqual({
          status: 404,
          code: 'deployment.not_found',
        });
        const there = { path: { ...path, deploymentId: other.deploymentId } };
        expect(await workspace.refusal(other.admin, operation, there)).toEqual(missing);
        expect(await workspace.refusal(reader, operation, { path })).toEqual(missing);
      }
      expect(await names({}, reader)).toEqual([]);
      expect(await names({}, admin)).toEqual(['Untitled']);
    });
  });

  describe('are refused', () => {
    it.each([
      ['a query that is no JSON', { jsonQuery: '{' }],
      ['a query that is no object', { jsonQuery: '"orders"' }],
      ['an empty list of queries', { jsonQuery: '[]' }],
      ['the public id of a placeholder', { publicId: 'legacy000042' }],
      ['a spreadsheet without a place', { externalWorkbookId: 'book' }],
      ['a place without a spreadsheet', { resultLocation: 'Sales!B3' }],
    ])('%s', async (_what, body) => {
      const request = { path: { deploymentId }, body };
      expect(await workspace.refusal(owner, 'createReport', request)).toEqual(invalid);
      expect((await list()).items).toEqual([]);
    });

    it('a public id that another report of the account has', async () => {
      await create({ publicId: 'theFirst0001' });
      const body = { publicId: 'theFirst0001' };
      expect(await workspace.refusal(owner, 'createReport', { path: { deploymentId }, body })).toEqual(taken);
      const other = workspace.newTenant();
      await workspace.call(other.admin, 'createReport', { path: { deploymentId: other.deploymentId }, body });
    });

    it('another public id than they have, the placeholder, and another version than they are', async () => {
      const { id, publicId } = await create({ jsonQuery: QUERY });
      const refusal = (body: object) => workspace.refusal(owner, 'updateReport', { path: at(id), body });
      expect(await refusal({ publicId: NOBODYS })).toEqual(invalid);
      expect(await refusal({ publicId: 'legacy000042' })).toEqual(invalid);
      expect(await refusal({ name: 'New', expectedVersion: 2 })).toEqual({
        status: 409,
        code: 'report.version_conflict',
      });
      const change = { publicId, name: 'New', expectedVersion: 1 };
      expect(await update(id, change)).toMatchObject({ name: 'New', version: 2 });
    });

    it('a place that one may not edit, or that is none', async () => {
      const [folder, workbook] = [await item('FOLDER'), await item('WORKBOOK')];
      const { id } = await create({}, reader);
      const refusal = (body: object) => workspace.refusal(reader, 'createReport', { path: { deploymentId }, body });
      expect(await refusal({ folderId: folder })).toEqual({ status: 404, code: 'folder.not_found' });
      expect(await refusal({ workbookId: workbook })).toEqual({ status: 404, code: 'workbook.not_found' });
      expect(await refusal({ folderId: workbook })).toEqual({ status: 404, code: 'folder.not_found' });
      workspace.policies.set(reader.userId, [{ resourceType: 'Folder', resourceId: folder, level: 'read' }]);
      expect(await refusal({ folderId: folder })).toEqual(denied);
      const moved = { path: at(id), body: { folderId: folder } };
      expect(await workspace.refusal(reader, 'updateReport', moved)).toEqual(denied);
    });

    it('a folder beside a workbook that lies elsewhere', async () => {
      const [folder, workbook] = [await item('FOLDER'), await item('WORKBOOK')];
      const body = { workbookId: workbook, folderId: folder };
      expect(await workspace.refusal(owner, 'createReport', { path: { deploymentId }, body })).toEqual(invalid);
    });

    it('to readers who change, and to editors who move or delete', async () => {
      const { id } = await create();
      allow(reader, id, 'read');
      expect(await workspace.refusal(reader, 'updateReport', { path: at(id), body: { name: 'Mine' } })).toEqual(denied);
      allow(reader, id, 'edit');
      expect(await update(id, { name: 'Mine' }, reader)).toMatchObject({ canEdit: true, canManage: false });
      const folder = await item('FOLDER', [], reader.userId);
      const moved = { path: at(id), body: { folderId: folder } };
      expect(await workspace.refusal(reader, 'updateReport', moved)).toEqual(denied);
      expect(await workspace.refusal(reader, 'deleteReport', { path: at(id) })).toEqual(denied);
    });
  });

  describe('that are made', () => {
    it('belong to who made them, with a public id of their own, untitled without a name', async () => {
      const report = await create({ name: '   ', jsonQuery: QUERY, meta: { kind: 'kpi', inner_key: { A_b: 1 } } });
      expect(report).toMatchObject({ name: 'Untitled', type: 'REPORT', version: 1, userId: owner.userId });
      expect(report).toMatchObject({ canEdit: true, canManage: true, rolesWithAccess: null, refreshedBy: null });
      expect(report.publicId).toMatch(/^[0-9A-Za-z]{12}$/);
      expect(await get(report.id)).toEqual(report);
      expect((await create()).publicId).not.toBe(report.publicId);
    });

    it('lie in the workbook and its folder, or in the folder, or at the root', async () => {
      const folder = await item('FOLDER');
      const workbook = await item('WORKBOOK', [folder]);
      const folderPath = [{ id: folder, name: 'FOLDER' }];
      const inWorkbook = await create({ workbookId: workbook, folderId: folder });
      expect(inWorkbook).toMatchObject({ workbookId: workbook, folderId: folder, folderPath });
      const inFolder = await create({ folderId: folder });
      expect(inFolder).toMatchObject({ workbookId: null, folderId: folder, folderPath });
      expect(await create()).toMatchObject({ workbookId: null, folderId: null, folderPath: [] });
      expect(await list({ workbookId: workbook })).toMatchObject({ items: [{ id: inWorkbook.id }], count: 1 });
      expect(await list({ folderId: folder })).toMatchObject({ items: [{ id: inFolder.id }], count: 1 });
    });
  });

  describe('that are changed', () => {
    it('keep what is not named, and count each change of the definition but no repeat', async () => {
      const { id, currentQueryChecksum } = await create({ name: 'Orders', title: 'All', jsonQuery: QUERY });
      expect(await update(id, { jsonQuery: QUERY, title: 'All' })).toMatchObject({ version: 1 });
      const changed = await update(id, { sqlQuery: 'select 1', title: null });
      expect(changed).toMatchObject({ name: 'Orders', title: null, jsonQuery: QUERY, version: 2 });
      expect(changed.currentQueryChecksum).not.toBe(currentQueryChecksum);
      expect(await get(id)).toEqual(changed);
    });

    it('leave their workbook for its folder, go to a folder, and to the root', async () => {
      const folder = await item('FOLDER');
      const workbook = await item('WORKBOOK', [folder]);
      const { id } = await create({ workbookId: workbook });
      expect(await update(id, { name: 'Same' })).toMatchObject({ workbookId: workbook });
      expect(await update(id, { workbookId: null })).toMatchObject({ workbookId: null, folderId: folder, version: 2 });
      expect(await update(id, { workbookId: workbook })).toMatchObject({ workbookId: workbook, folderId: folder });
      expect(await update(id, { folderId: null })).toMatchObject({ workbookId: null, folderId: null });
    });

    it('are gone when they are deleted', async () => {
      const { id } = await create();
      expect(await workspace.call(owner, 'deleteReport', { path: at(id) })).toEqual({});
      expect(await workspace.refusal(owner, 'getReport', { path: at(id) })).toEqual(missing);
    });
  });

  describe('by their public id', () => {
    it('of another deployment are taken for good, whoever may see them', async () => {
      const other = workspace.newTenant();
      workspace.deployments.set(other.deploymentId, { tenantId });
      await upsert(NOBODYS);
      const path = { deploymentId: other.deploymentId, publicId: NOBODYS };
      expect(await workspace.refusal(reader, 'upsertReportByPublicId', { path })).toEqual(taken);
    });

    it('are refused to who may not edit them, and with another id in the body, or a placeholder', async () => {
      await upsert(NOBODYS);
      const refusal = (who: Principal, publicId: string, body = {}) =>
        workspace.refusal(who, 'upsertReportByPublicId', { path: { deploymentId, publicId }, body });
      expect(await refusal(reader, NOBODYS)).toEqual(denied);
      expect(await refusal(owner, NOBODYS, { publicId: 'somethingElse'.slice(0, 12) })).toEqual(invalid);
      expect(await refusal(owner, 'legacy000042')).toEqual(invalid);
    });

    it('are made once and changed then; the same request again changes nothing, nor does another source', async () => {
      const body = { name: 'Orders', jsonQuery: QUERY, source: 'EXCEL' };
      const made = await upsert(NOBODYS, body);
      expect(made).toMatchObject({ publicId: NOBODYS, version: 1, source: 'EXCEL' });
      expect(await upsert(NOBODYS, { ...body, source: 'D3' })).toEqual(made);
      expect(await upsert(NOBODYS, { name: 'Sales' })).toMatchObject({ id: made.id, name: 'Sales', version: 2 });
    });

    it('are one report when twenty writers come at once', async () => {
      const writers = Array.from({ length: 20 }, (_, index) => upsert(NOBODYS, { name: `Writer ${index}` }));
      const replies = await Promise.all(writers);
      expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
      expect(await list()).toMatchObject({ count: 1 });
    });

    it('end well when writers and creators race: one report, and conflicts that say so', async () => {
      const body = { publicId: NOBODYS };
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? upsert(NOBODYS) : create(body))),
      );
      const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as { code: string }] : []));
      for (const { code } of refused) expect(['report.public_id_taken', 'upsert_branch_changed']).toContain(code);
      expect(await list()).toMatchObject({ count: 1 });
    });
  });

  describe('in lists', () => {
    it('refuse both kinds of paging at once, and a cursor that is none, of another order, or in that of views', async () => {
      const refusal = (query: object) => workspace.refusal(owner, 'getReports', { path: { deploymentId }, query });
      expect(await refusal({ first: 1, limit: 1 })).toEqual(invalid);
      expect(await refusal({ after: 'x', page: 1 })).toEqual(invalid);
      expect(await refusal({ sortBy: 'lastViewedAt', after: 'x' })).toEqual(invalid);
      for (const name of ['a', 'b']) await create({ name });
      const { endCursor } = (await list({ first: 1 })).pageInfo;
      for (const query of [{ after: 'x' }, { after: endCursor, sortBy: 'name' }]) {
        expect(await refusal(query)).toEqual({ status: 400, code: 'request.cursor_invalid' });
      }
    });

    it.each(['name', 'createdAt', 'updatedAt'])('walk by cursor in both directions of %s', async (sortBy) => {
      for (const name of ['b', 'A', 'c']) await create({ name });
      const expected = sortBy === 'name' ? ['A', 'b', 'c'] : ['b', 'A', 'c'];
      for (const sortDirection of ['ASC', 'DESC']) {
        const walked: string[] = [];
        for (let after: string | undefined, more = true; more;) {
          const page = await list({ sortBy, sortDirection, first: 1, after });
          walked.push(...page.items.map(({ name }) => name));
          ({ hasNextPage: more } = page.pageInfo);
          after = page.pageInfo.endCursor ?? undefined;
        }
        expect(walked).toEqual(sortDirection === 'ASC' ? expected : expected.toReversed());
      }
    });

    it('come by number with a count, by part of the name, and by spreadsheet', async () => {
      for (const name of ['Orders', 'orders 10%', 'Sales']) await create({ name });
      await create({ name: 'Placed', externalWorkbookId: 'book', resultLocation: 'Sales!B3' });
      const second = await list({ limit: 3, page: 2 });
      expect(second).toMatchObject({ count: 4, items: [{ name: 'Placed' }], data: [{ name: 'Placed' }] });
      expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
      expect(await names({ search: 'ORDERS' })).toEqual(['Orders', 'orders 10%']);
      expect(await names({ search: '0%' })).toEqual(['orders 10%']);
      expect(await names({ externalWorkbookId: 'book' })).toEqual(['Placed']);
    });

    it('come in the order in which the caller has viewed them, the others last', async () => {
      const [first, second] = [await create({ name: 'first' }), await create({ name: 'second' })];
      await create({ name: 'never' });
      for (const { id } of [first, second]) await get(id);
      await get(first.id, admin);
      const query = { sortBy: 'lastViewedAt', sortDirection: 'DESC' };
      expect(await names(query)).toEqual(['second', 'first', 'never']);
      await get(first.id);
      expect(await names(query)).toEqual(['first', 'second', 'never']);
    });

    it('hold what policies show and nothing else', async () => {
      const { id } = await create({ name: 'shared' });
      await create({ name: 'private' });
      allow(reader, id, 'read');
      expect(await list({}, reader)).toMatchObject({ items: [{ name: 'shared', canEdit: false }], count: 1 });
    });
  });
});
