import { validateRequest, type OperationId } from '@plinth/contract';
import { storedConfig, withReports } from './dashboard-config';

const position = { x: 0, y: 0, w: 1, h: 1 };
const stored = (config: object) => storedConfig(config as never, '/body/config');

const problems = (id: OperationId, body: unknown): string[] => {
  const verdict = validateRequest(id, { path: { deploymentId: '1', workbookId: '1' }, query: {}, body });
  return verdict.ok ? [] : verdict.problems.map(({ path, message }) => `${path} ${message}`).sort();
};
const ofDraft = (dashboardDraft: unknown) => problems('updateWorkbookDashboard', { dashboardDraft });

describe('the configuration of a dashboard', () => {
  it('is refused with every widget named whose id another one has', () => {
    const widgets = ['a', 'b', 'a', 'b', 'c'].map((id) => ({ id, type: 'TEXT', position }));
    const message = 'is the id of another widget';
    expect(() => stored({ widgets })).toThrow(
      expect.objectContaining({
        status: 400,
        details: [2, 3].map((index) => ({ path: `/body/config/widgets/${index}/id`, message })),
      }) as Error,
    );
  });

  it('is refused with every problem named, in a draft', () => {
    const widgets = [
      { type: 'PIE', position },
      { type: 'TEXT' },
      { id: 'x'.repeat(129), type: 'TEXT', position: { x: '0', y: 1.5, w: 1 } },
      { type: 'TEXT', position, config: [], style: 1, responsiveLayouts: { lg: { x: 1 } } },
    ];
    const found = ofDraft({ kind: 'OTHER', title: 1, widgets, layout: { rowHeight: 'x' }, theme: { fontFamily: 1 } });
    const at = (index: number) => `/body/dashboardDraft/widgets/${index}`;
    expect([...new Set(found.map((each) => each.split(' ')[0]))]).toEqual(
      [
        '/body/dashboardDraft/kind',
        '/body/dashboardDraft/layout/rowHeight',
        '/body/dashboardDraft/theme/fontFamily',
        '/body/dashboardDraft/title',
        `${at(0)}/type`,
        `${at(1)}/position`,
        `${at(2)}/id`,
        `${at(2)}/position/h`,
        `${at(2)}/position/x`,
        `${at(2)}/position/y`,
        `${at(3)}/config`,
        `${at(3)}/responsiveLayouts/lg/h`,
        `${at(3)}/responsiveLayouts/lg/w`,
        `${at(3)}/responsiveLayouts/lg/y`,
        `${at(3)}/style`,
      ].sort(),
    );
  });

  it('is refused in metadata for the same reasons', () => {
    const meta = { dashboardDraft: { widgets: [{ type: 'PIE', position }] } };
    for (const id of ['createWorkbook', 'updateWorkbook'] as const) expect(problems(id, { meta })).toHaveLength(1);
  });

  it('is refused without ids when it is published, but not as a draft', () => {
    const config = { widgets: [{ type: 'TEXT', position }] };
    expect(problems('publishDashboard', { workbookId: 1, config })).toEqual(['/body/config/widgets/0/id is required']);
    expect(problems('publishDashboard', { config: null })).toEqual(['/body/workbookId is required']);
    expect(ofDraft(config)).toEqual([]);
  });

  it.each(['CHART', 'TEXT', 'FILTER', 'AI', 'TIME_GRAIN', 'FIELD', 'PARENT', 'SPACER', 'DIVIDER', 'CONTAINER'])(
    'may have widgets of the type %s, which stay as they are',
    (type) => {
      const config = { kind: 'CLASSIC', widgets: [{ id: 'a', type, position, config: null, style: null }] };
      expect(ofDraft(config)).toEqual([]);
      expect(stored(config)).toEqual(config);
    },
  );

  it('may be that of a program', () => {
    const app = {
      entry: 'a.tsx',
      files: { 'a.tsx': '1' },
      html: null,
      manifest: { version: 1, dependencies: { react: '19' } },
    };
    expect(ofDraft({ kind: 'APP', app })).toEqual([]);
    expect(stored({ kind: 'APP', app })).toEqual({ kind: 'APP', app });
  });

  it('gets containers with tabs for what had another name once', () => {
    const widgets = [{ id: 'a', type: 'TABS_CONTAINER', position, config: { tabs: [1] } }];
    expect(ofDraft({ widgets })).toEqual([]);
    expect(stored({ widgets })).toEqual({
      widgets: [{ id: 'a', type: 'CONTAINER', position, config: { tabs: [1], layout: 'tabs' } }],
    });
  });

  it('gets ids for widgets without one, the same each time, and none that is taken', () => {
    const widgets = [
      { type: 'TEXT', position },
      { id: 'widget-1', type: 'TEXT', position },
      { id: null, type: 'TEXT', position },
    ];
    expect(stored({ widgets }).widgets?.map(({ id }) => id)).toEqual(['widget-2', 'widget-1', 'widget-3']);
  });

  it('keeps everything else as it came, in its order', () => {
    const inner = { z: 1, a: [1e21, 0.1, null], '': { y: true } };
    const widget = { type: 'AI', position, config: inner, extra: inner, style: inner, id: 'a' };
    const config = { theme: { ...inner, fontFamily: 'x' }, settings: inner, widgets: [widget], own: inner };
    expect(JSON.stringify(stored(config))).toBe(JSON.stringify(config));
  });

  it('names other reports where charts do, and nowhere else', () => {
    const widgets = ['CHART', 'FILTER'].map((type) => ({ id: type, type, position, config: { reportId: 1, a: 2 } }));
    const other = [
      { id: 'c', type: 'CHART', position },
      { id: 'd', type: 'CHART', position, config: { reportId: 9 } },
    ];
    expect(withReports({ widgets: [...widgets, ...other] } as never, new Map([[1, 5]]))).toMatchObject({
      widgets: [{ config: { reportId: 5, a: 2 } }, { config: { reportId: 1 } }, ...other],
    });
  });
});
