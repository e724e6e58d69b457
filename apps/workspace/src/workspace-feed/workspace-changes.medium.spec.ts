import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import { managerFor } from '@plinth/database';
import { runInContext } from '@plinth/observability';
import { grant, put } from '../testing/content-fixture';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

type Kind = 'FOLDER' | 'WORKBOOK' | 'REPORT';

const denied = { status: 403, code: 'access.denied' };
const notFound = { status: 404, code: 'folder.not_found' };

describe.each(transports)('changes of the workspace over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let admin: Principal;
  let user: Principal & { userId: number };
  let where: { tenantId: number; deploymentId: number };
  let folder: number;

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace?.stop());
  beforeEach(async () => {
    const { admin: administrator, ...tenant } = workspace.newTenant();
    [admin, where] = [administrator, tenant];
    user = workspace.newUser(tenant.tenantId);
    folder = await add('FOLDER');
  });

  const path = () => ({ deploymentId: where.deploymentId });
  const add = (type: Kind, parent: number | null = null, name?: string) =>
    put(workspace.database, where, type, { parent, ...(name && { name }) });
  const move = (by: Principal, type: Kind, id: number, folderId: number | null) =>
    workspace.call(by, 'moveWorkspaceObject', { path: path(), body: { type, id, folderId } });
  const refusal = (by: Principal, type: Kind, id: number, folderId: number | null) =>
    workspace.refusal(by, 'moveWorkspaceObject', { path: path(), body: { type, id, folderId } });
  const sql = <Row>(text: string, values: unknown[] = []) =>
    workspace.database.transaction(where.tenantId, (tx) => managerFor(tx).query<Row[]>(text, values));
  const placeOf = async (id: number) => {
    const [row] = await sql<{ path: number[] }>('select path from item where id = $1', [id]);
    return row?.path;
  };
  /** Every item's path is that of its parent and the parent. */
  const broken = () =>
    sql(
      `select i.id from item i join item p on p.id = i.parent_id where i.path is distinct from p.path || p.id
       union all select id from item where id = any(path)`,
    );

  describe('a move', () => {
    it('of what is not there, of another kind, deployment or tenant, or not to be seen: 404', async () => {
      const workbook = await add('WORKBOOK');
      expect(await refusal(admin, 'FOLDER', 999_999, null)).toEqual(notFound);
      expect(await refusal(admin, 'REPORT', workbook, null)).toMatchObject({ code: 'report.not_found' });
      expect(await refusal(user, 'WORKBOOK', workbook, null)).toMatchObject({ code: 'workbook.not_found' });
      expect(await refusal(admin, 'WORKBOOK', workbook, 999_999)).toEqual(notFound);
      expect(await refusal(admin, 'WORKBOOK', folder, workbook)).toMatchObject({ status: 404 });
      const stranger = workspace.newTenant();
      const theirs = { path: { deploymentId: stranger.deploymentId } };
      const body = { type: 'WORKBOOK' as const, id: workbook };
      expect(await workspace.refusal(stranger.admin, 'moveWorkspaceObject', { ...theirs, body })).toMatchObject({
        status: 404,
      });
      const foreignFolder = await put(workspace.database, stranger, 'FOLDER');
      expect(await refusal(admin, 'WORKBOOK', workbook, foreignFolder)).toEqual(notFound);
    });

    it.each(['FOLDER', 'WORKBOOK', 'REPORT'] as const)(
      'of a %s takes managing it and editing the folder',
      async (type) => {
        const id = await add(type);
        grant(workspace, user, [type, id, 'edit']);
        grant(workspace, user, ['FOLDER', folder, 'read']);
        expect(await refusal(user, type, id, null)).toEqual(denied);
        grant(workspace, user, [type, id, 'manage']);
        expect(await refusal(user, type, id, folder)).toEqual(denied);
        grant(workspace, user, ['FOLDER', folder, 'edit']);
        expect(await move(user, type, id, folder)).toMatchObject({ id, type, folderId: folder });
        expect(await placeOf(id)).toEqual([folder]);
      },
    );

    it('of a folder into itself or what lies in it: 400', async () => {
      const inner = await add('FOLDER', folder);
      const innermost = await add('FOLDER', inner);
      for (const target of [folder, inner, innermost]) {
        expect(await refusal(admin, 'FOLDER', folder, target)).toEqual({ status: 400, code: 'folder.inside_itself' });
      }
      expect(await broken()).toEqual([]);
    });

    it('that would bring a folder deeper than ten: 400', async () => {
      let nine = folder;
      for (let level = 2; level <= 9; level += 1) nine = await add('FOLDER', nine);
      const two = await add('FOLDER');
      const workbook = await add('WORKBOOK', await add('FOLDER', two));
      expect(await refusal(admin, 'FOLDER', two, nine)).toEqual({ status: 400, code: 'folder.too_deep' });
      expect(await placeOf(workbook)).toHaveLength(2);
      expect(await move(admin, 'FOLDER', await add('FOLDER'), nine)).toMatchObject({ folderId: nine });
    });

    it('brings along everything that lies in the thing', async () => {
      const inner = await add('FOLDER', folder);
      const workbook = await add('WORKBOOK', inner);
      const report = await add('REPORT', workbook);
      const target = await add('FOLDER');
      await move(admin, 'FOLDER', inner, target);
      expect(await placeOf(report)).toEqual([target, inner, workbook]);
      await move(admin, 'WORKBOOK', workbook, null);
      expect(await placeOf(report)).toEqual([workbook]);
      expect(await broken()).toEqual([]);
    });

    it('takes a report out of its workbook', async () => {
      const workbook = await add('WORKBOOK', folder);
      const report = await add('REPORT', workbook);
      expect(await move(admin, 'REPORT', report, folder)).toMatchObject({ folderId: folder });
      expect(await placeOf(report)).toEqual([folder]);
    });

    it('against another that would close a circle with it: one of them is refused', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [left, right] = [await add('FOLDER'), await add('FOLDER')];
        const outcomes = await Promise.allSettled([
          move(admin, 'FOLDER', left, right),
          move(admin, 'FOLDER', right, left),
        ]);
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const { reason } = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
        expect(reason).toMatchObject({ code: 'folder.inside_itself' });
      }
      expect(await broken()).toEqual([]);
    });

    it('while folders are made in the thing leaves every path right', async () => {
      const inner = await add('FOLDER', folder);
      const targets = [await add('FOLDER'), await add('FOLDER'), null];
      const making = Array.from({ length: 12 }, (_value, n) =>
        workspace.call(admin, 'createFolder', { path: path(), body: { name: `${n}`, parentId: inner } }),
      );
      await Promise.all([...making, ...targets.map((target) => move(admin, 'FOLDER', inner, target))]);
      expect(await broken()).toEqual([]);
    });
  });

  describe('a bulk move', () => {
    const moveAll = (by: Principal, items: { type: Kind; id: number }[], folderId: number | null = folder) =>
      workspace.call(by, 'bulkMoveWorkspaceObjects', { path: path(), body: { items, folderId } });

    it('tells of each thing why it stays, and moves the others', async () => {
      const [hidden, readable] = [await add('WORKBOOK'), await add('WORKBOOK')];
      const mine = await put(workspace.database, where, 'REPORT', { owner: user });
      grant(workspace, user, ['WORKBOOK', readable, 'read']);
      grant(workspace, user, ['FOLDER', folder, 'manage']);
      const { moved, failed } = await moveAll(user, [
        { type: 'WORKBOOK', id: hidden },
        { type: 'REPORT', id: mine },
        { type: 'WORKBOOK', id: readable },
        { type: 'FOLDER', id: folder },
      ]);
      expect(moved).toMatchObject([{ id: mine, type: 'REPORT', folderId: folder }]);
      expect(failed.map(({ id, error }) => [id, error.status])).toEqual([
        [hidden, 404],
        [readable, 403],
        [folder, 400],
      ]);
      expect(await placeOf(readable)).toEqual([]);
    });

    it('takes a thing that is named twice once, and keeps the order of the request', async () => {
      const [first, second] = [await add('WORKBOOK'), await add('REPORT')];
      const refs = [
        { type: 'REPORT' as const, id: second },
        { type: 'WORKBOOK' as const, id: first },
        { type: 'REPORT' as const, id: second },
      ];
      const { moved } = await moveAll(admin, refs);
      expect(moved.map(({ id }) => id)).toEqual([second, first]);
    });
  });

  describe('a bulk delete', () => {
    const deleteAll = (by: Principal, items: { type: Kind; id: number }[]) =>
      workspace.call(by, 'bulkDeleteWorkspaceObjects', { path: path(), body: { items } });

    it('tells of each thing why it stays, and deletes the others', async () => {
      const [editable, hidden] = [await add('REPORT'), await add('REPORT')];
      await add('FOLDER', folder);
      const mine = await put(workspace.database, where, 'WORKBOOK', { owner: user });
      grant(workspace, user, ['REPORT', editable, 'edit']);
      grant(workspace, user, ['FOLDER', folder, 'manage']);
      const refs = [
        { type: 'REPORT' as const, id: editable },
        { type: 'REPORT' as const, id: hidden },
        { type: 'FOLDER' as const, id: folder },
        { type: 'WORKBOOK' as const, id: mine },
        { type: 'WORKBOOK' as const, id: mine },
      ];
      const { deleted, failed } = await deleteAll(user, refs);
      expect(deleted).toEqual([{ type: 'WORKBOOK', id: mine }]);
      expect(failed.map(({ id, error }) => [id, error.status])).toEqual([
        [editable, 403],
        [hidden, 404],
        [folder, 400],
      ]);
      expect([await placeOf(mine), await placeOf(editable)]).toEqual([undefined, []]);
    });

    it('leaves the reports of a workbook in its folder, and what was in a folder at the root', async () => {
      const inner = await add('FOLDER', folder);
      const workbook = await add('WORKBOOK', inner);
      const report = await add('REPORT', workbook);
      await deleteAll(admin, [{ type: 'WORKBOOK', id: workbook }]);
      expect(await placeOf(report)).toEqual([folder, inner]);
      const other = await add('WORKBOOK', inner);
      const inOther = await add('REPORT', other);
      await deleteAll(admin, [
        { type: 'FOLDER', id: inner },
        { type: 'FOLDER', id: folder },
      ]);
      expect([await placeOf(report), await placeOf(other), await placeOf(inOther)]).toEqual([[], [], [other]]);
      expect(await sql('select id from workbook where id = $1', [workbook])).toEqual([]);
      expect(await broken()).toEqual([]);
    });

    it('repeated under its idempotency key answers as before and does nothing more', async () => {
      const idempotency = { operationId: 'bulkDeleteWorkspaceObjects', key: 'k', fingerprint: 'f' };
      const refs = [{ type: 'WORKBOOK' as const, id: await add('WORKBOOK') }];
      const once = () => runInContext({ requestId: 'r', idempotency }, () => deleteAll(admin, refs));
      expect([await once(), await once()]).toEqual([
        { deleted: refs, failed: [] },
        { deleted: refs, failed: [] },
      ]);
    });
  });

  describe('a transfer of content', () => {
    const transfer = (id: number, toUserId: number) =>
      workspace.call(admin, 'transferContent', { path: { id }, body: { toUserId } });
    const refused = (id: number, toUserId: number, by = admin) =>
      workspace.refusal(by, 'transferContent', { path: { id }, body: { toUserId } });

    it('to nobody, to oneself, of nobody, and by others than administrators is refused', async () => {
      await put(workspace.database, where, 'WORKBOOK', { owner: user });
      const nobody = { status: 404, code: 'user.not_found' };
      expect(await refused(user.userId, 999_999)).toEqual(nobody);
      expect(await refused(999_999, user.userId)).toEqual(nobody);
      expect(await refused(user.userId, user.userId)).toMatchObject({ status: 400 });
      expect(await refused(user.userId, admin.userId ?? 0, user)).toEqual(denied);
    });

    it('gives everything that a user owns, also one who is gone, and leaves other tenants alone', async () => {
      const id = await put(workspace.database, where, 'WORKBOOK', { owner: user });
      const { deploymentId } = workspace.newTenant();
      await put(workspace.database, { ...where, deploymentId }, 'FOLDER', { owner: user });
      const { admin: _admin, ...elsewhere } = workspace.newTenant();
      const theirs = await put(workspace.database, elsewhere, 'REPORT', { owner: user });
      workspace.people.delete(user.userId);
      const heir = workspace.newUser(where.tenantId);
      expect(await transfer(user.userId, heir.userId)).toEqual({ transferred: 2 });
      const { items } = await workspace.call(heir, 'workspaceObjects', { path: path() });
      expect(items).toMatchObject([{ id, userId: heir.userId, createdBy: user.userId }]);
      const [row] = await workspace.database.transaction(elsewhere.tenantId, (tx) =>
        managerFor(tx).query<{ owner: number }[]>('select owner_id as owner from item where id = $1', [theirs]),
      );
      expect(row?.owner).toBe(user.userId);
    });
  });
});
