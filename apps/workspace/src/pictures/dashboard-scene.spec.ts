import type { DashboardConfig } from '../dashboards/dashboard-config';
import { filterText } from './control-texts';
import { sceneParts } from './dashboard-scene';
import { PictureProgress } from './picture-progress';

const position = { x: 0, y: 0, w: 4, h: 2 };
const widget = (id: string, type: string, config: Record<string, unknown> = {}) => ({ id, type, position, config });
const nothing = { filters: [], timeGrains: [], memberSwitchers: [] };
const parts = (widgets: object[], chosen: Partial<typeof nothing> = {}, more: object = {}) =>
  sceneParts({
    config: { widgets, ...more } as DashboardConfig,
    charts: new Map([['a', { title: 'Frozen', description: null, chart: { error: 'no' } }]]),
    chosen: { ...nothing, ...chosen },
  });

describe(sceneParts.name, () => {
  it('has a place for what cannot be drawn, and an error for a chart that nobody has read', () => {
    expect(parts([], {}, { kind: 'APP' }).widgets).toMatchObject([{ type: 'PLACEHOLDER', name: 'Dashboard app' }]);
    expect(parts([widget('i', 'AI'), widget('b', 'CHART')]).widgets).toMatchObject([
      { type: 'PLACEHOLDER', name: 'AI summary' },
      { type: 'CHART', chart: { error: 'There is no such report' } },
    ]);
  });

  it('leaves out nothing that names a container or a tab that there is not', () => {
    const tabs = [{ id: 'm', title: 'Months' }, 'nonsense', { id: 'n' }];
    const inside = (id: string, tabId?: string) => widget(id, 'TEXT', { parentId: 'c', tabId, text: id });
    const widgets = [
      ...[widget('c', 'CONTAINER', { tabs }), inside('x', 'n'), inside('y', 'gone'), inside('z')],
      ...[widget('d', 'CONTAINER', { parentId: 'c' }), widget('o', 'TEXT', { parentId: 'gone' })],
    ];
    expect(parts(widgets).widgets).toMatchObject([
      {
        id: 'c',
        tabs: [
          { title: 'Months', widgets: [{ id: 'y' }, { id: 'z' }] },
          { title: null, widgets: [{ id: 'x' }] },
        ],
      },
      { id: 'd', tabs: [{ title: null, widgets: [] }] },
      { id: 'o' },
    ]);
  });

  it('titles a chart as its widget does, or else as its report', () => {
    expect(parts([widget('a', 'CHART')]).widgets).toMatchObject([{ title: 'Frozen' }]);
    expect(parts([widget('a', 'CHART', { title: 'Own' })]).widgets).toMatchObject([{ title: 'Own' }]);
  });

  it('shows what is chosen in its control, and below the title without one', () => {
    const filters = [
      { member: 'orders.status', value: ['new', 'paid'] },
      { member: 'orders.ship_city', operator: 'not_equals', value: 'Lyon' },
    ] as never[];
    const { widgets, captions } = parts(
      [
        widget('f', 'FILTER', { member: 'orders.status', value: 'saved' }),
        widget('g', 'TIME_GRAIN', { member: 'a.b' }),
      ],
      { filters },
    );
    expect(widgets).toMatchObject([
      { label: 'Status', value: 'new, paid' },
      { label: 'B', value: 'All' },
    ]);
    expect(captions).toEqual([{ label: 'Ship city', value: 'not Lyon' }]);
  });
});

describe(filterText.name, () => {
  it.each([
    ['is_null', undefined, 'not set'],
    ['between', [1, 5], '1 – 5'],
    ['greater_than', 3, '> 3'],
    [undefined, 'x'.repeat(500), `${'x'.repeat(199)}…`],
  ] as const)('tells %s in words', (operator, value, text) => {
    expect(filterText({ member: 'a.b', ...(operator && { operator }), value } as never)).toBe(text);
  });
});

describe(PictureProgress.name, () => {
  it('never falls, tells nothing twice and ends at all of it', () => {
    const told: number[] = [];
    const progress = new PictureProgress((percent) => told.push(percent));
    for (const done of [1, 1, 2]) progress.read(done, 2);
    progress.read(1, 2);
    for (const done of [0, 1, 2]) progress.drawn(done, 2);
    expect(told).toEqual([35, 70, 85, 100]);
  });

  it('has all of the reading behind it where there is nothing to read or to draw', () => {
    const told: number[] = [];
    const progress = new PictureProgress((percent) => told.push(percent));
    progress.read(0, 0);
    progress.drawn(0, 0);
    expect(told).toEqual([70]);
  });
});
