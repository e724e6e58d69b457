import { Sandbox } from '@plinth/sandbox';
import { deadlineMs } from '@plinth/testing';
import { Renderer, renderingNeeds } from './renderer';
import type { Chart, Scene, SceneWidget } from './scene';
import { barChart, kpi, referenceScene, sales } from './testing/sample-scene';

/** A processor burns for all of it. */
const LIMIT_MS = 1_000 * Math.min(4, Math.ceil(deadlineMs(2_000) / 1_000));
const VEGA = 'https://vega.github.io/schema/vega/v5.json';
const LITE = 'https://vega.github.io/schema/vega-lite/v5.json';

const many = Array.from({ length: 20_000 }, (_, index) => ({ a: index, b: 'x' }));
const columns = ['a', 'b'].map((name) => ({ name, title: name, type: 'string', format: null, decimalPlaces: null }));

/** Text with the value of an expression, which would be seen. */
const telling = (expression: string) => ({
  $schema: VEGA,
  data: [{ name: 'source', values: [{}], transform: [{ type: 'formula', as: 'told', expr: expression }] }],
  marks: [{ type: 'text', from: { data: 'source' }, encode: { enter: { text: { field: 'told' }, x: { value: 9 } } } }],
});
const made = (transform: object[], encoding: object = {}) => ({ $schema: LITE, mark: 'point', transform, encoding });
const loading = (url: string) => ({ $schema: LITE, data: { url }, mark: 'bar', encoding: { x: { field: 'a' } } });
const picture = (url: string) => ({
  $schema: LITE,
  mark: { type: 'image', width: 20, height: 20 },
  encoding: { url: { value: url } },
});

/** What a chart tries, and what stands in its place then. */
const refused: [string, unknown, RegExp][] = [
  ['the constructor of functions', telling(`''.constructor.constructor('return process.pid')()`), /could not be drawn/],
  ['a function by another name', telling(`_constructor('return 7')`), /could not be drawn/],
  ['a file', loading('file:///etc/passwd'), /charts load nothing/],
  ['a file by its path', loading('/etc/passwd'), /charts load nothing/],
  ['an address', loading('http://169.254.169.254/latest/meta-data'), /charts load nothing/],
  [
    'a billion rows',
    { $schema: LITE, data: { sequence: { start: 0, stop: 1e9 } }, mark: 'point' },
    /memory|longer than|renderer ended/,
  ],
  [
    'a pattern that never ends',
    telling(`test(/(a+)+$/, '${'a'.repeat(40)}!')`),
    new RegExp(`longer than ${LIMIT_MS / 1_000} s`),
  ],
  [
    'every row with every row',
    { ...telling('1'), data: [{ name: 'source', transform: [{ type: 'cross' }] }] },
    /memory|longer than|renderer ended/,
  ],
  [
    'a hundred million ticks',
    { ...made([], { x: { field: 'a', type: 'quantitative', axis: { tickCount: 1e8 } } }) },
    /memory|longer than|renderer ended|too (?:large|much)/,
  ],
  ['text that is no specification', '{"mark":', /no JSON/],
  ['nothing', null, /no specification/],
  ['a mark that there is not', { $schema: LITE, mark: 'nothing' }, /could not be drawn/],
];

const chart = (spec: unknown, rows = many): Chart => ({ kind: 'vega', spec, columns, rows });
const widget = (id: string, y: number, drawn: Chart): SceneWidget => ({
  id,
  type: 'CHART',
  x: 0,
  y,
  w: 12,
  h: 6,
  title: id,
  chart: drawn,
});
const sceneOf = (widgets: SceneWidget[]): Scene => ({ ...referenceScene, captions: [], widgets });

describe('a scene with hostile charts', () => {
  let sandbox: Sandbox;
  let renderer: Renderer;
  beforeAll(async () => {
    sandbox = await Sandbox.open({ readable: renderingNeeds() });
    renderer = new Renderer({ sandbox, limits: { widgetMs: LIMIT_MS } });
  });
  afterAll(() => renderer.close());

  describe('of all kinds', () => {
    const others = ['good', 'also'];
    let drawn: Map<string, string>;
    beforeAll(async () => {
      const charts: [string, Chart][] = [
        ['good', barChart],
        ...refused.map(([name, spec]): [string, Chart] => [name, chart(spec)]),
        ['also', barChart],
      ];
      const widgets = charts.map(([name, each], index) => widget(name, 6 * index, each));
      const { parts } = await renderer.html(sceneOf(widgets), { owner: 'a' });
      drawn = new Map(widgets.map(({ id }, index) => [id, parts[index]?.html ?? '']));
    });

    it.each(refused)('has an error in the place of one that wants %s', (name, _spec, message) => {
      expect(drawn.get(name)).toMatch(/<p class="plinth-error">/);
      expect(drawn.get(name)).toMatch(message);
    });

    it('has those drawn that stand before and behind them', () => {
      const [good, also] = others.map((name) => drawn.get(name) ?? '');
      for (const part of [good, also]) expect(part).toMatch(/<svg.*<path/s);
      expect(also).toHaveLength(good?.length ?? 0);
    });
  });

  it.each([
    ['process', `process`],
    ['the global object', `this`],
    ['the properties of a function', `datum.toString.constructor`],
    ['a function that is called by another', `replace('1', '1', datum.toString.constructor)`],
  ])('tells nothing of %s', async (_, expression) => {
    const { parts } = await renderer.html(sceneOf([widget('bad', 0, chart(telling(expression)))]), { owner: 'a' });
    expect(parts[0]!.html).not.toMatch(/native code|\[object (?!Object\])|node_modules/);
  });

  it.each(['file:///etc/hostname', '/etc/hostname', 'http://127.0.0.1:1/a.png', 'data:image/svg+xml,<svg/>'])(
    'has no picture from %s',
    async (url) => {
      const scene = sceneOf([widget('bad', 0, chart(picture(url), many.slice(0, 3))), widget('good', 6, kpi)]);
      const { body } = await renderer.html(scene, { owner: 'a' });
      expect(body).toMatch(/<svg/);
      expect(body).not.toMatch(/plinth-error/);
      expect(body).not.toMatch(/<image|file:|127\.0\.0\.1/);
      expect((await renderer.draw(scene, 'png', { owner: 'a' })).length).toBeGreaterThan(1_000);
    },
  );

  it('draws what chance and clock make the same way each time', async () => {
    const spec = telling(`random() + ' ' + now() + ' ' + timezoneoffset(0)`);
    const draw = async () =>
      (await renderer.html(sceneOf([widget('a', 0, chart(spec))]), { owner: 'a' })).parts[0]!.html;
    const first = await draw();
    expect(first).toContain(String(referenceScene.at.getTime()));
    expect(await draw()).toBe(first);
    await renderer.close();
    renderer = new Renderer({ sandbox });
    expect(await draw()).toBe(first);
  });

  it('leaves the event loop of the service alone, with many rows, too', async () => {
    const rows = Array.from({ length: 600 }, () => sales.rows).flat();
    const worked = (): number => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1_000;
    };
    let longest = 0;
    let last = worked();
    // Of its own processor time: others may take turns with it.
    const clock = setInterval(() => {
      longest = Math.max(longest, worked() - last);
      last = worked();
    }, 10);
    await renderer.draw(sceneOf([widget('many', 0, { ...barChart, rows })]), 'png', { owner: 'a' });
    clearInterval(clock);
    expect(rows.length).toBeGreaterThan(50_000);
    expect(longest).toBeLessThan(250);
  });
});
