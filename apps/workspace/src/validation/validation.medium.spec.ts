import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { grant } from '../testing/content-fixture';
import { startWorkspace, transports, type WorkspaceFixture } from '../testing/workspace-fixture';

type Draft = Schemas['DashboardConfigDraftInput'];

const cubes: Schemas['CubeMembers'][] = [
  { name: 'orders', kind: 'cube', measures: ['count'], dimensions: ['status', 'created_at'], segments: [] },
];
const good = JSON.stringify({ measures: ['orders.count'] });
const bad = JSON.stringify({ measures: ['orders.gone'], dimensions: ['orders.status'] });

describe.each(transports)('content held against a data model, over %s', (transport) => {
  let service: WorkspaceFixture;
  let admin: Principal;
  let reader: Principal & { userId: number };
  let path: { deploymentId: number };

  beforeAll(async () => {
    service = await startWorkspace(transport);
  });
  afterAll(() => service?.stop());
  beforeEach(() => {
    const tenant = service.newTenant();
    [path, admin] = [{ deploymentId: tenant.deploymentId }, tenant.admin];
    reader = service.newUser(tenant.tenantId);
    reader.grants = [
      ...reader.grants,
      { action: 'SchemaRead', deploymentIds: null },
      { action: 'SchemaUpdate', deploymentIds: null },
    ];
    service.models.clear();
    service.models.set('main', cubes);
  });

  const folder = async (name: string, parentId: number | null = null) =>
    (await service.call(admin, 'createFolder', { path, body: { name, parentId } })).id;
  const report = async (name: string, body: NonNullable<BodyOf<'createReport'>>) =>
    (await service.call(admin, 'createReport', { path, body: { name, ...body } })).id;
  const board = async (widgets: unknown[]) => {
    const body = { name: 'Board', meta: { dashboardDraft: { widgets } as Draft } };
    return (await service.call(admin, 'upsertWorkbookBySlug', { path: { ...path, slug: 'board' }, body })).id;
  };
  const widget = (id: string, type: string, config: object) => ({
    ...{ id, type, config, position: { x: 0, y: 0, w: 1, h: 1 } },
  });
  const validate = (principal: Principal = admin, query: object = {}) =>
    service.call(principal, 'validateWorkspace', { path, query });
  const refusal = async (principal: Principal, query: object = {}) =>
    (await service.refusal(principal, 'validateWorkspace', { path, query })).code;
  const told = ({ items }: ReplyOf<'validateWorkspace'>) =>
    items.flatMap(({ dashboard, widgetId, widgetType, missingMembers, missingReportId }) =>
      dashboard ? [[dashboard, widgetId, widgetType, missingReportId ?? missingMembers]] : [],
    );

  it('is refused without the right to read data models, for an unknown branch and for another tenant', async () => {
    expect(await refusal(service.newUser(admin.tenantId))).toBe('access.denied');
    expect(await refusal(admin, { branchName: 'nowhere' })).toBe('branch.not_found');
    expect(await refusal(service.newTenant().admin)).toBe('deployment.not_found');
    expect(await refusal(admin, { first: 0 })).toBe('request.invalid');
    await report('Broken', { jsonQuery: bad });
    const after = (await validate()).pageInfo.endCursor;
    service.models.set('other', cubes);
    expect(await refusal(admin, { branchName: 'other', after })).toBe('request.cursor_invalid');
  });

  it('names nothing of a deployment that is in order, nor of another one', async () => {
    await report('Broken, but elsewhere', { jsonQuery: bad });
    const other = service.newTenant();
    path = { deploymentId: other.deploymentId };
    admin = other.admin;
    await report('Fine', { jsonQuery: good });
    expect(await validate()).toMatchObject({ branchName: 'main', items: [], uncheckedReports: 0 });
  });

  it('names a report with its owner, its folders and what is missing', async () => {
    const sales = await folder('Sales');
    const europe = await folder('Europe', sales);
    const id = await report('Revenue', { jsonQuery: bad, publicId: 'Revenue00001', folderId: europe });
    expect((await validate()).items).toEqual([
      {
        ...{ type: 'REPORT', id, name: 'Revenue', publicId: 'Revenue00001', slug: null },
        ...{ dashboard: null, widgetId: null, widgetType: null },
        user: expect.objectContaining({ id: admin.userId, email: admin.email }) as unknown,
        folderPath: [
          { id: sales, name: 'Sales' },
          { id: europe, name: 'Europe' },
        ],
        missingMembers: ['orders.gone'],
        missingReportId: null,
      },
    ]);
    service.models.set('next', [{ ...cubes[0], measures: ['count', 'gone'] } as Schemas['CubeMembers']]);
    expect(await validate(admin, { branchName: 'next' })).toMatchObject({ branchName: 'next', items: [] });
  });

  it('looks at charts, filters, time grains and fields of drafts, in the order of the widgets', async () => {
    const [fine, broken] = [await report('Fine', { jsonQuery: good }), await report('Broken', { jsonQuery: bad })];
    await board([
      widget('1', 'CHART', { reportId: fine }),
      widget('2', 'CHART', { reportId: broken }),
      widget('3', 'CHART', { reportId: 999_999_999 }),
      widget('4', 'FILTER', { member: 'orders.status' }),
      widget('5', 'FILTER', { member: 'users.city' }),
      widget('6', 'TIME_GRAIN', { member: 'orders.updated_at' }),
      widget('7', 'FIELD', { member: 'orders.count', selected: 'orders.none' }),
      widget('8', 'TEXT', { member: 'orders.none', reportId: broken }),
    ]);
    const found = await validate();
    expect(told(found)).toEqual([
      ['draft', '2', 'CHART', ['orders.gone']],
      ['draft', '3', 'CHART', 999_999_999],
      ['draft', '5', 'FILTER', ['users.city']],
      ['draft', '6', 'TIME_GRAIN', ['orders.updated_at']],
      ['draft', '7', 'FIELD', ['orders.none']],
    ]);
    expect(found.items.at(-1)).toMatchObject({ type: 'DASHBOARD_WIDGET', name: 'Board', slug: 'board' });
  });

  it('looks at published charts as they were frozen, whatever has become of their reports', async () => {
    const [repaired, spoilt] = [await report('A', { jsonQuery: bad }), await report('B', { jsonQuery: good })];
    const workbookId = await board([
      widget('1', 'CHART', { reportId: repaired }),
      widget('2', 'CHART', { reportId: spoilt }),
    ]);
    await service.call(admin, 'publishDashboard', { path: { ...path, workbookId }, body: { workbookId } });
    await service.call(admin, 'updateReport', { path: { ...path, reportId: repaired }, body: { jsonQuery: good } });
    await service.call(admin, 'updateReport', { path: { ...path, reportId: spoilt }, body: { jsonQuery: bad } });
    expect(told(await validate())).toEqual([
      ['draft', '2', 'CHART', ['orders.gone']],
      ['published', '1', 'CHART', ['orders.gone']],
    ]);
  });

  it('counts reports of SQL text and does not look into them', async () => {
    await report('SQL', { sqlQuery: 'select gone from nowhere' });
    expect(await validate()).toMatchObject({ items: [], uncheckedReports: 1 });
  });

  it('shows each caller what they may read, and administrators everything', async () => {
    const [hidden, shown] = [await folder('Hidden'), await folder('Shown')];
    await report('A', { jsonQuery: bad, folderId: hidden });
    await report('B', { jsonQuery: bad, folderId: shown });
    await report('C', { sqlQuery: 'select 1', folderId: hidden });
    expect(await validate(reader)).toMatchObject({ items: [], uncheckedReports: 0 });
    grant(service, reader, ['FOLDER', shown, 'read']);
    expect((await validate(reader)).items.map(({ name }) => name)).toEqual(['B']);
    expect((await validate(admin)).items.map(({ name }) => name)).toEqual(['A', 'B']);
  });

  it('is paged by position: a walk names everything once, also the widgets of one workbook', async () => {
    const filters = Array.from({ length: 5 }, (_, id) => widget(`${id}`, 'FILTER', { member: `a.b${id}` }));
    await board(filters);
    for (let number = 0; number < 120; number++) await report(`R${number}`, { jsonQuery: number % 2 ? bad : good });
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const page: ReplyOf<'validateWorkspace'> = await validate(admin, { first: 3, ...(after && { after }) });
      seen.push(...page.items.map(({ id, widgetId }) => `${id}/${widgetId}`));
      after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
    } while (after !== null);
    expect([seen.length, new Set(seen).size]).toEqual([65, 65]);
  });

  describe('for a merge', () => {
    const request = () => ({ path, body: { cubes } });

    it('is refused without the right to change the data model', async () => {
      const refused = await service.refusal(service.newUser(admin.tenantId), 'findBrokenContent', request());
      expect(refused.code).toBe('access.denied');
    });

    it('looks at everything, names what the caller may read and counts the rest', async () => {
      await report('A', { jsonQuery: bad });
      expect(await service.call(reader, 'findBrokenContent', request())).toEqual({ items: [], unnamed: 1 });
      const all = await service.call(admin, 'findBrokenContent', request());
      expect(all).toMatchObject({ items: [{ name: 'A' }], unnamed: 0 });
    });
  });
});
