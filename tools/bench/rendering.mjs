// Pictures of dashboards: a chart of 1,000 rows, a dashboard of 8 widgets, and what their processes take.
import { readFileSync } from 'node:fs';
import { dist, programsBelow, stopWithTheRest } from './processes.mjs';

const ROWS = 1_000;
const ROUNDS = 10;
const SAMPLE_MS = 200;

const column = (name, type, format = null) => ({ name, title: name, type, format, decimalPlaces: null });
const columns = [
  column('category', 'string'),
  column('region', 'string'),
  column('month', 'time'),
  column('revenue', 'number', 'currency'),
];
const rows = Array.from({ length: ROWS }, (_, index) => ({
  category: `Category ${index % 25}`,
  region: ['North', 'South', 'East', 'West'][index % 4],
  month: `2025-${String((index % 12) + 1).padStart(2, '0')}-01T00:00:00.000`,
  revenue: String(((index * 7_919) % 10_007) + index / 7),
}));

const encoding = (x, type) => ({
  x: { field: x, type },
  y: { field: 'revenue', aggregate: 'sum', type: 'quantitative' },
  color: { field: 'region', type: 'nominal' },
});
const chartOf = (kind, spec) => ({ kind, spec, columns, rows });
const bars = chartOf('vega', { mark: 'bar', encoding: encoding('category', 'nominal') });
const lines = chartOf('vega', { mark: 'line', encoding: encoding('month', 'temporal') });
const points = chartOf('vega', {
  mark: 'point',
  encoding: { x: { field: 'category', type: 'nominal' }, y: { field: 'revenue', type: 'quantitative' } },
});
const table = chartOf('table', null);
const kpi = chartOf('kpi', { value: 'revenue' });
const text = '## What changed\nRevenue is **up**; see the [notes](https://example.com).\n\n- one\n- two';

const chart = (id, x, y, w, h, drawn) => ({ id, type: 'CHART', x, y, w, h, title: id, chart: drawn });
const dashboard = [
  chart('revenue', 0, 0, 3, 3, kpi),
  chart('again', 3, 0, 3, 3, kpi),
  { id: 'text', type: 'TEXT', x: 6, y: 0, w: 6, h: 3, text },
  chart('bars', 0, 3, 6, 7, bars),
  chart('lines', 6, 3, 6, 7, lines),
  chart('points', 0, 10, 6, 7, points),
  chart('table', 6, 10, 6, 7, table),
  chart('more bars', 0, 17, 12, 7, bars),
];
const sceneOf = (widgets) => ({
  ...{ title: 'Bench', locale: 'en', timeZone: 'Europe/Berlin', at: new Date('2025-11-22'), theme: 'light' },
  captions: [{ label: 'Region', value: 'North' }],
  widgets,
});

export async function benchRendering() {
  const { Sandbox } = dist('libs/sandbox/src');
  const { Renderer, renderingNeeds } = dist('libs/rendering/src');
  const sandbox = await Sandbox.open({ readable: renderingNeeds() });
  const renderer = new Renderer({ sandbox, limits: { idleMs: 600_000 } });
  stopWithTheRest(() => renderer.close());
  const one = sceneOf([chart('bars', 0, 0, 12, 10, bars)]);
  const eight = sceneOf(dashboard);
  const works = {
    'chart of 1,000 rows to HTML': () => renderer.html(one, { owner: 'bench' }),
    'chart of 1,000 rows to PNG': () => renderer.draw(one, 'png', { owner: 'bench' }),
    '8 widgets to PNG': () => renderer.draw(eight, 'png', { owner: 'bench' }),
    '8 widgets to PDF': () => renderer.draw(eight, 'pdf', { owner: 'bench' }),
    '8 widgets to HTML': () => renderer.html(eight, { owner: 'bench' }),
  };
  const figures = {};
  for (const [name, work] of Object.entries(works)) figures[name] = await figuresOf(work);
  return figures;
}

/** Wall times of the first, which may start processes, and of those after it. */
async function figuresOf(work) {
  const highest = watchMemory();
  const first = await timed(work);
  const times = [];
  for (let round = 0; round < ROUNDS; round++) times.push((await timed(work)).ms);
  const { widgets, pictures } = highest();
  times.sort((a, b) => a - b);
  return {
    'first ms': Math.round(first.ms),
    'median ms': Math.round(times[ROUNDS >> 1]),
    'slowest ms': Math.round(times.at(-1)),
    KB: Math.round((first.result.length ?? first.result.body.length) / 1_000),
    'widgets MiB': widgets,
    'pictures MiB': pictures,
  };
}

async function timed(work) {
  const started = performance.now();
  const result = await work();
  return { ms: performance.now() - started, result };
}

/** The most that each of the two processes has had, in MiB. */
function watchMemory() {
  const highest = { widgets: 0, pictures: 0 };
  const sample = () => {
    for (const name of Object.keys(highest)) {
      const pids = programsBelow(process.pid, `rendering/src/${name}/main.js`);
      highest[name] = Math.max(highest[name], ...pids.map(highestMb));
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    sample();
    return highest;
  };
}

const highestMb = (pid) => {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
};
