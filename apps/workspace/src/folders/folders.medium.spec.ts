import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { OperationId } from '@plinth/contract';
import { grant, put } from '../testing/content-fixture';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

const notFound = { status: 404, code: 'folder.not_found' };
const denied = { status: 403, code: 'access.denied' };
const invalid = { status: 400, code: 'request.invalid' };

describe.each(transports)('folders over %s', (transport) => {
  let workspace: WorkspaceFixture;
  let admin: Principal;
  let user: Principal & { userId: number };
  let where: { tenantId: number; deploymentId: number };

  beforeAll(async () => {
    workspace = await startWorkspace(transport);
  });
  afterAll(() => workspace?.stop());
  beforeEach(() => {
    const { admin: administrator, ...tenant } = workspace.newTenant();
    [admin, where] = [administrator, tenant];
    user = workspace.newUser(tenant.tenantId);
  });

  const at = (folderId?: number) => ({ deploymentId: where.deploymentId, ...(folderId && { folderId }) });
  const create = (by: Principal, name: string, more: object = {}) =>
    workspace.call(by, 'createFolder', { path: at(), body: { name, ...more } });
  const list = (by: Principal, query: object = {}) => workspace.call(by, 'getFolders', { path: at(), query });
  const namesOf = async (by: Principal, query: object = {}) => (await list(by, query)).items.map(({ name }) => name);
  const refusal = (by: Principal, operationId: OperationId, folderId: number, body?: object) =>
    workspace.refusal(by, operationId, { path: at(folderId), ...(body && { body }) });
  const nest = async (depth: number): Promise<number> => {
    let parentId: number | null = null;
    for (let level = 0; level < depth; level += 1) parentId = (await create(admin, `${level}`, { parentId })).id;
    return parentId ?? 0;
  };

  it('of another deployment or tenant, and those that one may not see, are not there', async () => {
    const { id } = await create(admin, 'Sales');
    const stranger = workspace.newTenant();
    const { deploymentId } = workspace.newTenant();
    workspace.deployments.set(deploymentId, { tenantId: where.tenantId });
    for (const operationId of ['updateFolder', 'deleteFolder', 'getFolderAncestors'] as const) {
      const request = { body: { name: 'x' } };
      const elsewhere = { ...request, path: { deploymentId, folderId: id } };
      expect(await workspace.refusal(admin, operationId, elsewhere)).toEqual(notFound);
      const theirs = { ...request, path: { deploymentId: stranger.deploymentId, folderId: id } };
      expect(await workspace.refusal(stranger.admin, operationId, theirs)).toEqual(notFound);
      const foreign = await workspace.refusal(stranger.admin, operationId, { ...request, path: at(id) });
      expect(foreign).toEqual({ status: 404, code: 'deployment.not_found' });
      expect(await refusal(user, operationId, id, { name: 'x' })).toEqual(notFound);
    }
    expect(await workspace.refusal(user, 'getFolders', { path: at(), query: { parentId: id } })).toEqual(notFound);
    const inside = { path: at(), body: { name: 'x', parentId: id } };
    expect(await workspace.refusal(user, 'createFolder', inside)).toEqual(notFound);
    expect(await namesOf(admin)).toEqual(['Sales']);
  });

  it('that one may only read are neither changed nor deleted, and take no others', async () => {
    const { id } = await create(admin, 'Sales');
    grant(workspace, user, ['FOLDER', id, 'read']);
    expect(await refusal(user, 'updateFolder', id, { name: 'x' })).toEqual(denied);
    expect(await refusal(user, 'deleteFolder', id)).toEqual(denied);
    const inside = { path: at(), body: { name: 'x', parentId: id } };
    expect(await workspace.refusal(user, 'createFolder', inside)).toEqual(denied);
  });

  it('that one may edit are not deleted: that takes managing them', async () => {
    const { id } = await create(admin, 'Sales');
    grant(workspace, user, ['FOLDER', id, 'edit']);
    expect(await refusal(user, 'deleteFolder', id)).toEqual(denied);
    expect(await create(user, 'Europe', { parentId: id })).toMatchObject({ parentId: id });
    expect((await workspace.call(user, 'updateFolder', { path: at(id), body: { name: 'Money' } })).name).toBe('Money');
  });

  it('nest ten deep and not deeper', async () => {
    const parentId = await nest(10);
    const eleventh = { path: at(), body: { name: 'x', parentId } };
    expect(await workspace.refusal(admin, 'createFolder', eleventh)).toEqual({ status: 400, code: 'folder.too_deep' });
  });

  it('with folders in them are not deleted', async () => {
    const { id } = await create(admin, 'Sales');
    await create(admin, 'Europe', { parentId: id });
    expect(await refusal(admin, 'deleteFolder', id)).toEqual({ status: 400, code: 'folder.has_folders' });
    expect(await namesOf(admin, { parentId: id })).toEqual(['Europe']);
  });

  it('refuse a cursor of another parent and a page of nothing', async () => {
    const { id } = await create(admin, 'Sales');
    const { pageInfo } = await list(admin);
    const foreign = { path: at(), query: { parentId: id, after: pageInfo.endCursor } };
    expect(await workspace.refusal(admin, 'getFolders', foreign)).toMatchObject({ code: 'request.cursor_invalid' });
    expect(await workspace.refusal(admin, 'getFolders', { path: at(), query: { first: 0 } })).toEqual(invalid);
  });

  it('show their owner, and where they lie', async () => {
    const { id } = await create(admin, ' Sales ');
    grant(workspace, user, ['FOLDER', id, 'edit']);
    const owner = workspace.people.get(user.userId);
    expect(await create(user, 'Europe', { parentId: id })).toMatchObject({
      ...{ type: 'FOLDER', name: 'Europe', parentId: id, position: 0, deploymentId: where.deploymentId },
      ...{ user: owner, createdBy: user.userId, updatedBy: user.userId, folderPath: [{ id, name: 'Sales' }] },
    });
    workspace.people.delete(user.userId);
    const { items, data, count } = await list(admin, { parentId: id });
    expect(items[0]?.user).toEqual({ id: user.userId, email: '', firstName: null, picture: null });
    expect([data, count]).toEqual([items, 1]);
  });

  it('stand in the order of their positions, new ones last, one level at a time', async () => {
    const { id: first } = await create(admin, 'first');
    await create(admin, 'second');
    await create(admin, 'before', { position: -5 });
    await create(admin, 'inside', { parentId: first });
    expect(await namesOf(admin)).toEqual(['before', 'first', 'second']);
    expect(await namesOf(admin, { parentId: 0 })).toHaveLength(3);
    await workspace.call(admin, 'updateFolder', { path: at(first), body: { position: null, name: null } });
    expect(await namesOf(admin)).toEqual(['before', 'second', 'first']);
    const page = await list(admin, { first: 2 });
    expect(page).toMatchObject({ count: 3, pageInfo: { hasNextPage: true } });
    expect(await namesOf(admin, { first: 2, after: page.pageInfo.endCursor })).toEqual(['first']);
  });

  it('on the way to something that one may read are shown, and nothing beside it', async () => {
    const { id: top } = await create(admin, 'top');
    const { id: middle } = await create(admin, 'middle', { parentId: top });
    await create(admin, 'beside', { parentId: top });
    await create(admin, 'aside');
    const workbook = await put(workspace.database, where, 'WORKBOOK', { parent: middle });
    expect(await namesOf(user)).toEqual([]);
    grant(workspace, user, ['WORKBOOK', workbook, 'read']);
    expect(await namesOf(user)).toEqual(['top']);
    expect(await list(user, { parentId: top })).toMatchObject({ items: [{ name: 'middle' }], count: 1 });
    const way = await workspace.call(user, 'getFolderAncestors', { path: at(middle) });
    expect(way.map(({ name, folderPath }) => [name, folderPath])).toEqual([
      ['top', []],
      ['middle', [{ id: top, name: 'top' }]],
    ]);
    expect(await refusal(user, 'updateFolder', middle, { name: 'x' })).toEqual(denied);
  });

  it('leave their workbooks and reports at the root when they are deleted', async () => {
    const { id: top } = await create(admin, 'top');
    const { id } = await create(admin, 'doomed', { parentId: top });
    const workbook = await put(workspace.database, where, 'WORKBOOK', { parent: id });
    await put(workspace.database, where, 'REPORT', { parent: id });
    await put(workspace.database, where, 'REPORT', { parent: workbook });
    expect(await workspace.call(admin, 'deleteFolder', { path: at(id) })).toBeUndefined();
    expect(await refusal(admin, 'getFolderAncestors', id)).toEqual(notFound);
    const { items } = await workspace.call(admin, 'workspaceObjects', { path: at() });
    expect(items.map(({ type, folderId }) => [type, folderId])).toEqual([
      ['FOLDER', null],
      ['WORKBOOK', null],
      ['REPORT', null],
    ]);
    expect(await paths()).toContainEqual([workbook]);
  });

  it('count the reports directly in them that one can read, for old clients', async () => {
    const { id } = await create(admin, 'Sales');
    const { id: inner } = await create(admin, 'Europe', { parentId: id });
    const [readable] = [
      await put(workspace.database, where, 'REPORT', { parent: inner }),
      await put(workspace.database, where, 'REPORT', { parent: inner }),
    ];
    const workbook = await put(workspace.database, where, 'WORKBOOK', { parent: inner });
    await put(workspace.database, where, 'REPORT', { parent: workbook });
    grant(workspace, user, ['REPORT', readable, 'read']);
    const counted = async (by: Principal) => (await workspace.call(by, 'getReportFolders', { path: at() })).items;
    expect(await counted(admin)).toEqual([
      { id, name: 'Sales', reportsCount: 0 },
      { id: inner, name: 'Europe', reportsCount: 2 },
    ]);
    expect(await counted(user)).toMatchObject([{ reportsCount: 0 }, { reportsCount: 1 }]);
  });

  const paths = async (): Promise<number[][]> => {
    const rows = await workspace.database.read<{ path: number[] }>(where.tenantId, {
      name: 'paths',
      text: 'select path from item order by id',
    });
    return rows.map(({ path }) => path);
  };
});
