import type { Chart, ChartColumn, Scene, SceneWidget } from '../scene';

const column = (name: string, title: string, type: string, format: string | null = null): ChartColumn => ({
  ...{ name, title, type, format },
  decimalPlaces: null,
});

const REGIONS = ['North', 'South', 'East', 'West', 'Österreich', 'Київ', 'Ελλάδα'];
const VEGA_LITE = 'https://vega.github.io/schema/vega-lite/v5.json';

/** Always the same numbers that look like chance. */
function* numbers(): Generator<number, never> {
  for (let state = 42; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    yield state / 2 ** 32;
  }
}

/** Revenue and orders of regions by month, numbers as texts as engines send them. */
export const sales: Pick<Chart, 'columns' | 'rows'> = (() => {
  const chance = numbers();
  const rows = Array.from({ length: 12 * REGIONS.length }, (_, index) => ({
    'orders.created_at.month': `2025-${String(Math.floor(index / REGIONS.length) + 1).padStart(2, '0')}-01T00:00:00.000`,
    'orders.region': REGIONS[index % REGIONS.length],
    'orders.revenue': (20_000 + 30_000 * chance.next().value * (1 + index / 80)).toFixed(2),
    'orders.count': String(Math.round(400 + 300 * chance.next().value)),
    'orders.share': (0.05 + 0.2 * chance.next().value).toFixed(4),
  }));
  const columns = [
    column('orders.created_at.month', 'Month', 'time'),
    column('orders.region', 'Region', 'string'),
    column('orders.revenue', 'Revenue', 'number', 'currency'),
    column('orders.count', 'Orders', 'number'),
    column('orders.share', 'Share', 'number', 'percent'),
  ];
  return { columns, rows };
})();

export const barChart: Chart = {
  kind: 'vega',
  spec: {
    $schema: VEGA_LITE,
    mark: 'bar',
    encoding: {
      x: { field: 'orders\\.created_at\\.month', type: 'temporal', timeUnit: 'yearmonth', title: null },
      y: { field: 'orders\\.revenue', aggregate: 'sum', title: 'Revenue', axis: { format: '$,.0f' } },
      color: { field: 'orders\\.region', title: 'Region' },
    },
  },
  ...sales,
};

const lineChart: Chart = {
  kind: 'vega',
  spec: JSON.stringify({
    $schema: VEGA_LITE,
    mark: { type: 'line', interpolate: 'monotone', point: true },
    encoding: {
      x: { field: 'orders.created_at.month', type: 'temporal', title: null },
      y: { field: 'orders.count', aggregate: 'sum', type: 'quantitative', title: 'Orders' },
    },
  }),
  ...sales,
};

export const kpi: Chart = {
  kind: 'kpi',
  columns: [
    { ...column('orders.revenue', 'Revenue', 'number', 'currency'), decimalPlaces: 0, currency: 'EUR' },
    column('orders.revenue__1_month_percent', 'Revenue, 1 month before (percent)', 'number', 'percent'),
  ],
  rows: [{ 'orders.revenue': '5493281.44', 'orders.revenue__1_month_percent': '0.0961' }],
};

export const fallingKpi: Chart = {
  kind: 'kpi',
  spec: { value: 'rate', compare: 'before' },
  columns: [
    { ...column('rate', 'Rate', 'number', 'percent'), decimalPlaces: 2 },
    column('before', 'Rate before', 'number', 'percent'),
  ],
  rows: [{ rate: 0.0342, before: 0.0371 }],
};

export const table: Chart = { kind: 'table', ...sales };

export const sankey: Chart = {
  kind: 'sankey',
  columns: [column('from', 'From', 'string'), column('to', 'To', 'string'), column('visits', 'Visits', 'number')],
  rows: [
    ['Ads', 'Visit', 80],
    ['Search', 'Visit', 120],
    ['Mail', 'Visit', 40],
    ['Visit', 'Cart', 90],
    ['Visit', 'Leave', 150],
    ['Cart', 'Order', 62],
    ['Cart', 'Later', 28],
  ].map(([from, to, visits]) => ({ from, to, visits })),
};

export const pointMap: Chart = {
  kind: 'map',
  columns: [
    column('shops.city', 'City', 'string'),
    column('shops.latitude', 'Latitude', 'number'),
    column('shops.longitude', 'Longitude', 'number'),
    column('shops.orders', 'Orders', 'number'),
  ],
  rows: [
    ['Berlin', 52.5, 13.4, 80],
    ['Київ', 50.45, 30.5, 40],
    ['Αθήνα', 38, 23.7, 30],
    ['Tokyo', 35.7, 139.7, 60],
    ['New York', 40.7, -74, 100],
    ['Sydney', -33.9, 151.2, 30],
    ['São Paulo', -23.5, -46.6, 50],
  ].map(([city, latitude, longitude, orders]) => ({
    'shops.city': city,
    'shops.latitude': latitude,
    'shops.longitude': longitude,
    'shops.orders': orders,
  })),
};

export const regionMap: Chart = {
  kind: 'map',
  columns: [column('country', 'Country', 'string'), column('customers', 'Customers', 'number')],
  rows: [
    ['DE', 120],
    ['France', 80],
    ['United States', 200],
    ['BR', 60],
    ['Australia', 30],
    ['UA', 90],
  ].map(([country, customers]) => ({ country, customers })),
};

const notes = `## What changed
Revenue is up **9.6 %** on last year; *orders* are flat. See the [weekly notes](https://example.com/notes).

- North and \`Österreich\` lead
- Київ: перше замовлення <script>alert("no")</script>
- Ελλάδα follows`;

/** A widget of each kind that the reference picture has. */
const reference: SceneWidget[] = [
  { id: 'region', type: 'FILTER', x: 0, y: 0, w: 4, h: 1, label: 'Region', value: 'North, Österreich, Київ' },
  { id: 'grain', type: 'TIME_GRAIN', x: 4, y: 0, w: 4, h: 1, label: 'Time grain', value: 'Month' },
  { id: 'measure', type: 'FIELD', x: 8, y: 0, w: 4, h: 1, label: 'Measure', value: 'Revenue' },
  { id: 'revenue', type: 'CHART', x: 0, y: 1, w: 3, h: 4, title: 'Revenue', chart: kpi },
  { id: 'rate', type: 'CHART', x: 3, y: 1, w: 3, h: 4, title: 'Conversion rate', chart: fallingKpi },
  { id: 'notes', type: 'TEXT', x: 6, y: 1, w: 6, h: 4, text: notes },
  { id: 'rule', type: 'DIVIDER', x: 0, y: 5, w: 12, h: 1 },
  { id: 'bars', type: 'CHART', x: 0, y: 6, w: 7, h: 7, title: 'Revenue by month', chart: barChart },
  { id: 'lines', type: 'CHART', x: 7, y: 6, w: 5, h: 7, title: 'Orders by month', chart: lineChart },
  { id: 'table', type: 'CHART', x: 0, y: 13, w: 7, h: 7, title: 'Regions', chart: table },
  {
    ...{ id: 'tabs', type: 'CONTAINER', x: 7, y: 13, w: 5, h: 7 },
    tabs: [
      {
        title: 'By region',
        columns: 12,
        widgets: [{ id: 'flow', type: 'CHART', x: 0, y: 0, w: 12, h: 5, title: 'Visits', chart: sankey }],
      },
      {
        title: 'Notes',
        columns: 12,
        widgets: [{ id: 'more', type: 'TEXT', x: 0, y: 0, w: 12, h: 2, text: 'All is *well*.' }],
      },
    ],
  },
];

const others: SceneWidget[] = [
  { id: 'points', type: 'CHART', x: 0, y: 20, w: 6, h: 7, title: 'Shops', chart: pointMap },
  { id: 'regions', type: 'CHART', x: 6, y: 20, w: 6, h: 7, title: 'Customers', chart: regionMap },
  {
    id: 'broken',
    type: 'CHART',
    x: 0,
    y: 27,
    w: 4,
    h: 3,
    title: 'Broken',
    chart: { error: 'The query failed: no such column' },
  },
  { id: 'ai', type: 'PLACEHOLDER', x: 4, y: 27, w: 4, h: 3, title: 'Summary', name: 'AI summary' },
  { id: 'cjk', type: 'TEXT', x: 8, y: 27, w: 4, h: 3, text: 'No letters for: 東京 and 🚀 here' },
];

export const referenceScene: Scene = {
  title: 'Revenue overview — Огляд',
  description: 'Acme GmbH, week 47',
  locale: 'en-US',
  timeZone: 'Europe/Berlin',
  at: new Date('2025-11-22T07:00:00Z'),
  theme: 'light',
  captions: [
    { label: 'Region', value: 'North, Österreich, Київ' },
    { label: 'Created at', value: 'last 12 months' },
  ],
  widgets: reference,
};

/** With everything that can be drawn. */
export const largeScene: Scene = { ...referenceScene, widgets: [...reference, ...others] };
