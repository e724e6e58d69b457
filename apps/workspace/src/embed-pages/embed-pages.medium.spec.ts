import 'reflect-metadata';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Renderer } from '@plinth/rendering';
import { putDashboard } from '../testing/dashboard-content';
import { answered, startWorkspace, type WorkspaceFixture } from '../testing/workspace-fixture';

const annotation = {
  dimensions: { 'orders.status': { title: 'Status', type: 'string' } },
  timeDimensions: {},
  measures: { 'orders.count': { title: 'Count', type: 'number' } },
};
const meta = {
  cubes: [
    {
      dimensions: [
        { name: 'orders.status', type: 'string' },
        { name: 'orders.created_at', type: 'time' },
      ],
      measures: [{ name: 'orders.count', type: 'count' }],
    },
  ],
};
const widget = (id: string, type: string, config: object, y: number) => ({
  ...{ id, type, config },
  position: { x: 0, y, w: 12, h: 3 },
});
const table = (measure: string) => ({
  kind: 'table' as const,
  title: 'Counts',
  jsonQuery: JSON.stringify({ measures: [measure], dimensions: ['orders.status'] }),
});
const content = {
  widgets: [
    widget('status', 'FILTER', { member: 'orders.status', operator: 'equals', value: ['new'] }, 0),
    widget('when', 'FILTER', { member: 'orders.created_at', title: 'When' }, 1),
    widget('grain', 'TIME_GRAIN', { member: 'orders.created_at', title: 'Step' }, 2),
    widget('a', 'CHART', { reportId: 1 }, 3),
    widget('b', 'CHART', { reportId: 2, title: 'Broken' }, 6),
  ],
  reports: { 1: table('orders.count'), 2: table('orders.broken') },
};
type Query = { measures?: string[]; filters?: { values: string[] }[]; timeDimensions?: object[]; timezone?: string };

describe('pages of dashboards', () => {
  let workspace: WorkspaceFixture;
  let admin: Principal;
  let publicId: string;
  let queries: Query[];

  beforeAll(async () => {
    workspace = await startWorkspace('in-process');
    const { tenantId, deploymentId, admin: someone } = workspace.newTenant();
    admin = someone;
    ({ publicId } = await putDashboard(workspace.database, { tenantId, deploymentId }, content));
    workspace.queryEngine = async ({ body }) => {
      if (body.route === 'meta') return answered(meta);
      const { query } = body.body as { query: Query };
      queries.push(query);
      if (query.measures?.[0] === 'orders.broken') return answered({ error: 'no such measure' }, 400);
      const rows = ['new', 'paid'].map((status, index) => ({ 'orders.status': status, 'orders.count': 7 + index }));
      const allowed = query.filters?.[0]?.values;
      const data = allowed ? rows.filter((row) => allowed.includes(row['orders.status'])) : rows;
      return answered({ results: [{ query, data, annotation }] });
    };
  });
  afterAll(() => workspace?.stop());
  beforeEach(() => {
    queries = [];
  });

  const wishes = { publicId: '', fields: null, theme: null, accent: null, locale: 'en', timeZone: null };
  const draw = (
    wish: Partial<BodyOf<'drawEmbeddedDashboard'>> = {},
    who = admin,
  ): Promise<ReplyOf<'drawEmbeddedDashboard'>> =>
    workspace.call(who, 'drawEmbeddedDashboard', { body: { ...wishes, publicId, ...wish } });
  const refusal = (body: object, who = admin) =>
    workspace.refusal(who, 'drawEmbeddedDashboard', { body: { ...wishes, publicId, ...body } });

  it('are not there for who may not see the dashboard, and their title is not told', async () => {
    const unknown = { status: 404, code: 'dashboard.not_found' };
    expect(await refusal({ publicId: 'none' })).toEqual(unknown);
    expect(await refusal({}, workspace.newTenant().admin)).toEqual(unknown);
    expect(await refusal({}, workspace.newUser(admin.tenantId))).toEqual(unknown);
  });

  it('have an error in the place of what cannot be read, and all else around it', async () => {
    const { html, hasFields, title } = await draw();
    expect(html).toContain('no such measure');
    expect(html).toContain('<td class="plinth-number">7</td>');
    expect({ hasFields, title }).toEqual({ hasFields: true, title: 'Orders' });
  });

  it('have controls as fields of a form, with the values that there are and those that hold', async () => {
    const { html } = await draw();
    const box = (value: string, rest = '') =>
      `<input type="checkbox" form="plinth-controls" name="c.status" value="${value}"${rest}>`;
    expect(html).toContain(box('new', ' checked'));
    expect(html).toContain(box('paid'));
    expect(html).toContain('<input type="date" form="plinth-controls" name="c.when.from" value="">');
    expect(html).toContain('<option value="month">month</option>');
    expect(queries.find(({ measures }) => measures?.[0] === 'orders.count')?.filters?.[0]?.values).toEqual(['new']);
  });

  it('show what a form has chosen; an empty field takes back what was saved, and unknown ones do nothing', async () => {
    const fields = { 'c.status': ['paid'], 'c.when.from': ['2025-01-01'], 'c.when.to': ['2025-01-31'], 'c.x': ['y'] };
    const { html } = await draw({ fields, timeZone: 'Europe/Kyiv' });
    expect(html).toContain('<td class="plinth-number">8</td>');
    expect(html).not.toContain('<td class="plinth-number">7</td>');
    expect(html).toContain('name="c.when.from" value="2025-01-01"');
    const chart = queries.find(({ measures }) => measures?.[0] === 'orders.count');
    expect(JSON.stringify(chart)).toMatch(/2025-01-01.*2025-01-31/);
    expect(chart?.timezone).toBe('Europe/Kyiv');
    expect((await draw({ fields: {} })).html).toContain('<td class="plinth-number">8</td>');
  });

  it('are drawn once for the same data, and by colours of the host where the dashboard has none', async () => {
    const first = await draw();
    const drawn = jest.spyOn(Renderer.prototype, 'html');
    expect((await draw()).html).toBe(first.html);
    expect(drawn).not.toHaveBeenCalled();
    drawn.mockRestore();
    expect((await draw({ theme: 'dark' })).colours['card']).toBe('#1b212b');
    expect((await draw({ accent: '#aa0044' })).colours['accent']).toBe('#aa0044');
    expect((await draw({ accent: 'url(x)' })).colours['accent']).toBe('#3b5bdb');
  });
});
