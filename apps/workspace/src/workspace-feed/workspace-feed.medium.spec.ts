import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { QueryOf } from '@plinth/contract';
import { managerFor } from '@plinth/database';
import { grant, put } from '../testing/content-fixture';
import { startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

type Query = Partial<QueryOf<'workspaceObjects'>>;

describe('the workspace feed', () => {
  let workspace: WorkspaceFixture;
  let admin: Principal;
  let user: Principal & { userId: number };
  let where: { tenantId: number; deploymentId: number };

  beforeAll(async () => {
    workspace = await startWorkspace();
  });
  afterAll(() => workspace?.stop());
  beforeEach(() => {
    const { admin: administrator, ...tenant } = workspace.newTenant();
    [admin, where] = [administrator, tenant];
    user = workspace.newUser(tenant.tenantId);
  });

  const path = () => ({ deploymentId: where.deploymentId });
  const list = (by: Principal, query: Query = {}) => workspace.call(by, 'workspaceObjects', { path: path(), query });
  const names = async (by: Principal, query: Query = {}) => (await list(by, query)).items.map(({ name }) => name);
  const refusal = (by: Principal, query: Query) => workspace.refusal(by, 'workspaceObjects', { path: path(), query });
  const add = (type: 'FOLDER' | 'WORKBOOK' | 'REPORT', name: string, parent: number | null = null) =>
    put(workspace.database, where, type, { name, parent });
  const sql = (text: string, values: unknown[]) =>
    workspace.database.transaction(where.tenantId, (tx) => managerFor(tx).query(text, values));

  it('refuses cursors of another folder, order, kind or text, and folders that are not to be seen', async () => {
    const folder = await add('FOLDER', 'Sales');
    const hidden = { status: 404, code: 'folder.not_found' };
    const { endCursor } = (await list(admin)).pageInfo;
    const others: Query[] = [{ folderId: folder }, { types: ['FOLDER'] }, { orderByField: 'name' }, { search: 'a' }];
    for (const other of [...others, { orderByDirection: 'DESC' as const }]) {
      expect(await refusal(admin, { ...other, after: endCursor ?? '' })).toMatchObject({
        status: 400,
        code: 'request.cursor_invalid',
      });
    }
    expect(await refusal(user, { folderId: folder })).toEqual(hidden);
    expect(await refusal(admin, { folderId: await add('WORKBOOK', 'no folder') })).toEqual(hidden);
    expect(await refusal(admin, { first: 0 })).toMatchObject({ status: 400 });
  });

  it('shows nothing of another tenant or deployment, in search neither', async () => {
    await add('WORKBOOK', 'Revenue');
    const stranger = workspace.newTenant();
    const theirs = { path: { deploymentId: stranger.deploymentId } };
    for (const query of [{}, { search: 'revenue' }]) {
      expect((await workspace.call(stranger.admin, 'workspaceObjects', { ...theirs, query })).items).toEqual([]);
    }
    const foreign = await workspace.refusal(stranger.admin, 'workspaceObjects', { path: path(), query: {} });
    expect(foreign).toEqual({ status: 404, code: 'deployment.not_found' });
  });

  it('leaves out what one may not see, and shows the way to what one may', async () => {
    const top = await add('FOLDER', 'top');
    const inner = await add('FOLDER', 'inner', top);
    await add('FOLDER', 'closed');
    await add('WORKBOOK', 'closed too', top);
    const report = await add('REPORT', 'mine', inner);
    expect(await names(user)).toEqual([]);
    grant(workspace, user, ['REPORT', report, 'read']);
    expect(await names(user)).toEqual(['top']);
    expect(await names(user, { folderId: top })).toEqual(['inner']);
    expect(await names(user, { folderId: inner })).toEqual(['mine']);
    expect(await names(user, { search: 'e' })).toEqual(['inner', 'mine']);
    grant(workspace, user, ['FOLDER', top, 'read']);
    expect(await names(user, { folderId: top })).toEqual(['inner', 'closed too']);
    expect(await names(user, { search: 'closed' })).toEqual(['closed too']);
  });

  it('shows all of a kind to whoever holds a level on all of it', async () => {
    const folder = await add('FOLDER', 'folder');
    await add('FOLDER', 'empty');
    await add('WORKBOOK', 'deep', folder);
    await add('WORKBOOK', 'workbook');
    await add('REPORT', 'report');
    grant(workspace, user, ['WORKBOOK', null, 'read']);
    expect(await names(user)).toEqual(['folder', 'workbook']);
    expect(await names(user, { search: 'e' })).toEqual(['folder', 'deep']);
  });

  it('puts folders first, by position, and leaves out reports in workbooks', async () => {
    await add('REPORT', 'report');
    const workbook = await add('WORKBOOK', 'workbook');
    await add('REPORT', 'in the workbook', workbook);
    await add('FOLDER', 'b');
    await add('FOLDER', 'a');
    expect(await names(admin)).toEqual(['b', 'a', 'report', 'workbook']);
    expect(await names(admin, { types: ['REPORT', 'FOLDER'] })).toEqual(['b', 'a', 'report']);
    expect(await names(admin, { types: ['WORKBOOK'] })).toEqual(['workbook']);
    expect(await names(admin, { search: 'WORKBOOK' })).toEqual(['workbook']);
    const pages = [];
    for (let after: string | undefined, more = true; more;) {
      const { items, pageInfo } = await list(admin, { first: 1, ...(after && { after }) });
      pages.push(items.map(({ name }) => name));
      [after, more] = [pageInfo.endCursor ?? '', pageInfo.hasNextPage];
    }
    expect(pages).toEqual([['b'], ['a'], ['report'], ['workbook']]);
  });

  it('orders workbooks and reports as it is asked to, folders never, page by page', async () => {
    await add('FOLDER', 'z folder');
    await add('FOLDER', 'a folder');
    const ids = [await add('WORKBOOK', 'b'), await add('REPORT', 'C'), await add('WORKBOOK', 'a')];
    await sql(`update item set updated_at = now() + id * interval '1 microsecond' where id = any($1)`, [ids]);
    await sql('insert into item_view (tenant_id, item_id, user_id) values ($1, $2, $3)', [
      where.tenantId,
      ids[1],
      admin.userId,
    ]);
    const walk = async (query: Query) => {
      const seen: string[] = [];
      for (let after: string | undefined, more = true; more;) {
        const { items, pageInfo } = await list(admin, { ...query, first: 1, ...(after && { after }) });
        seen.push(...items.map(({ name }) => name));
        [after, more] = [pageInfo.endCursor ?? '', pageInfo.hasNextPage];
      }
      expect(seen.slice(0, 2)).toEqual(['z folder', 'a folder']);
      return seen.slice(2);
    };
    expect(await walk({ orderByField: 'name' })).toEqual(['a', 'b', 'C']);
    expect(await walk({ orderByField: 'name', orderByDirection: 'DESC' })).toEqual(['C', 'b', 'a']);
    expect(await walk({ orderByField: 'updated_at', orderByDirection: 'DESC' })).toEqual(['a', 'C', 'b']);
    expect(await walk({ orderByField: 'created_at' })).toEqual(['b', 'C', 'a']);
    expect(await walk({ orderByDirection: 'DESC' })).toEqual(['a', 'C', 'b']);
    expect(await walk({ orderByField: 'viewer_last_viewed_at', orderByDirection: 'DESC' })).toEqual(['C', 'a', 'b']);
    expect(await walk({ orderByField: 'viewer_last_viewed_at' })).toEqual(['b', 'a', 'C']);
  });

  it('finds text as it stands, in any case, in all folders', async () => {
    const folder = await add('FOLDER', 'Sales');
    await add('WORKBOOK', '100% of Übersicht', folder);
    await add('WORKBOOK', '100 of it', folder);
    expect(await names(admin, { search: '0% OF' })).toEqual(['100% of Übersicht']);
    expect(await names(admin, { search: 'übersicht', folderId: 999_999 })).toEqual(['100% of Übersicht']);
    expect(await names(admin, { search: '  ' })).toEqual(['Sales']);
    expect(await names(admin, { search: '_' })).toEqual([]);
  });

  it('says where things lie, whose they are, and what the caller favours', async () => {
    const folder = await add('FOLDER', 'Sales');
    const owner = user;
    const id = await put(workspace.database, where, 'WORKBOOK', { name: 'Revenue', parent: folder, owner });
    await sql('insert into favorite (tenant_id, item_id, user_id) values ($1, $2, $3)', [
      where.tenantId,
      id,
      user.userId,
    ]);
    await sql(`update workbook set slug = 'revenue' where id = $1`, [id]);
    const [item] = (await list(user, { folderId: folder })).items;
    expect(item).toMatchObject({
      ...{ id, type: 'WORKBOOK', name: 'Revenue', folderId: folder, folderPath: [{ id: folder, name: 'Sales' }] },
      ...{ slug: 'revenue', isFavorite: true, meta: {}, user: workspace.people.get(user.userId), userId: user.userId },
    });
    expect((await list(admin, { folderId: folder })).items[0]).toMatchObject({ isFavorite: false });
  });

  it('shares nothing with those who are no embed users', async () => {
    await add('WORKBOOK', 'Revenue');
    const reply = await workspace.call(admin, 'sharedWorkspaceObjects', { path: path(), query: { search: 'r' } });
    expect(reply).toMatchObject({ items: [], pageInfo: { hasNextPage: false, endCursor: null } });
    const query = { after: 'made-up' };
    expect(await workspace.refusal(admin, 'sharedWorkspaceObjects', { path: path(), query })).toMatchObject({
      code: 'request.cursor_invalid',
    });
  });

  it('walked by cursor while things are renamed, moved and deleted shows nothing twice, and misses nothing that stays', async () => {
    const aside = await add('FOLDER', 'aside');
    await sql(
      `insert into item (tenant_id, deployment_id, type, name, position)
       select $1, $2, case when n % 10 = 0 then 'FOLDER' else 'WORKBOOK' end, 'item ' || n, case when n % 10 = 0 then n % 70 end
       from generate_series(1, 10000) n`,
      [where.tenantId, where.deploymentId],
    );
    const seen: number[] = [];
    const gone = new Set<number>();
    let pages = 0;
    for (let after: string | undefined, more = true; more; pages += 1) {
      const { items, pageInfo } = await list(admin, { first: 400, ...(after && { after }) });
      seen.push(...items.map(({ id }) => id));
      [after, more] = [pageInfo.endCursor ?? '', pageInfo.hasNextPage];
      const changed = (await sql(
        `with chosen as (select id, type, (row_number() over (order by random()))::int as lot from item
                         where deployment_id = $1 and parent_id is null and id <> $2 limit 500),
           renamed as (update item set name = 'renamed ' || name, updated_at = now() where id in (select id from chosen where lot > 9))
         select id, type, lot % 3 as share from chosen where lot <= 9`,
        [where.deploymentId, aside],
      )) as { id: number; type: 'FOLDER' | 'WORKBOOK'; share: number }[];
      const request = (share: number, folderId: number | null) => ({
        path: path(),
        body: { items: changed.filter((item) => item.share === share).map(({ id, type }) => ({ id, type })), folderId },
      });
      for (const { id } of changed) gone.add(id);
      await workspace.call(admin, 'bulkDeleteWorkspaceObjects', request(0, null));
      for (const share of [1, 2]) await workspace.call(admin, 'bulkMoveWorkspaceObjects', request(share, aside));
      // Those that come back are where they were.
      await workspace.call(admin, 'bulkMoveWorkspaceObjects', request(2, null));
    }
    expect(pages).toBeGreaterThan(20);
    const stayed = (await sql('select id from item where deployment_id = $1 and parent_id is null', [
      where.deploymentId,
    ])) as { id: number }[];
    const shown = new Set(seen);
    expect(shown.size).toBe(seen.length);
    const missing = stayed.filter(({ id }) => !gone.has(id) && !shown.has(id));
    expect(missing).toEqual([]);
  });
});
