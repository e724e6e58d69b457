import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Sandbox } from '@plinth/sandbox';
import { pdfPages, until } from '@plinth/testing';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { Renderer, RenderingFailed, renderingNeeds } from './renderer';
import type { Scene } from './scene';
import { barChart, largeScene, referenceScene } from './testing/sample-scene';

const REFERENCE = join(__dirname, 'testing/reference.png');
/** Part of the pixels that may differ, of a picture of half the size. */
const TOLERATED = 0.002;

const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)];

describe('a renderer', () => {
  let sandbox: Sandbox;
  let renderer: Renderer;
  beforeAll(async () => {
    sandbox = await Sandbox.open({ readable: renderingNeeds() });
    renderer = new Renderer({ sandbox });
  });
  afterAll(() => renderer.close());

  it('gives up when it is told to, before and while it draws, and draws the next one', async () => {
    const early = AbortSignal.abort(new Error('early'));
    await expect(renderer.draw(referenceScene, 'png', { owner: 'a', signal: early })).rejects.toThrow('early');
    const late = new AbortController();
    const onProgress = (): void => late.abort(new Error('late'));
    await expect(renderer.draw(referenceScene, 'png', { owner: 'a', signal: late.signal, onProgress })).rejects.toThrow(
      'late',
    );
    expect(sizeOf(await renderer.draw({ ...referenceScene, widgets: [] }, 'png', { owner: 'a' }))).toEqual([
      2_400, 280,
    ]);
  });

  it('fails when the picture is larger than it may be, or takes longer', async () => {
    const small = new Renderer({ sandbox, limits: { pictureBytes: 1_000 } });
    await expect(small.draw(referenceScene, 'png', { owner: 'a' })).rejects.toThrow(
      'The picture could not be drawn: it is too large',
    );
    const hasty = new Renderer({ sandbox, limits: { pictureMs: 5 } });
    await expect(hasty.draw(referenceScene, 'pdf', { owner: 'a' })).rejects.toThrow(/it took longer than 1 s/);
    await Promise.all([small.close(), hasty.close()]);
  });

  it('has an error in place of all widgets that there was no time for', async () => {
    const hasty = new Renderer({ sandbox, limits: { sceneMs: 0 } });
    const { parts } = await hasty.html(
      { ...referenceScene, widgets: referenceScene.widgets.slice(3, 6) },
      { owner: 'a' },
    );
    expect(parts.map(({ html }) => html.includes('the dashboard took too long'))).toEqual([true, true, true]);
    await hasty.close();
  });

  it('tells why a chart cannot be drawn, and nothing of one that can', async () => {
    const columns = [{ name: 'n', title: 'n', type: 'number', format: null, decimalPlaces: null }];
    const problemOf = (spec: object) =>
      renderer.problemOf({ kind: 'vega', spec, columns, rows: [{ n: 1 }] }, { owner: 'a' });
    const encoding = { y: { field: 'n', type: 'quantitative' } };
    expect(await problemOf({ mark: 'nothing', encoding })).toMatch(/^This could not be drawn: /);
    expect(await problemOf({ encoding })).toMatch(/^This could not be drawn: /);
    const endless = { mark: 'bar', transform: [{ calculate: "pad('x', 1e9, 'x')", as: 'm' }], encoding };
    expect(await problemOf(endless)).toMatch(/^This could not be drawn: /);
    expect(await problemOf({ mark: 'bar', encoding })).toBeNull();
  });

  it('draws no second owner in the process of a first one', async () => {
    const started: string[] = [];
    const watched = Object.create(sandbox, {
      start: {
        value: (...[program]: Parameters<Sandbox['start']>) => {
          started.push(/(\w+)\/main\.js/.exec(program.args.join(' '))?.[1] ?? '');
          return sandbox.start(program);
        },
      },
    }) as Sandbox;
    const another = new Renderer({ sandbox: watched });
    const scene = { ...referenceScene, widgets: referenceScene.widgets.slice(3, 4) };
    for (const owner of ['a', 'a', 'b']) await another.draw(scene, 'png', { owner });
    expect(started).toEqual(['widgets', 'pictures', 'widgets', 'pictures']);
    await another.close();
  });

  it('ends its processes when it is closed, and those that wait after a while', async () => {
    const own = await Sandbox.open({ kind: sandbox.kind, readable: renderingNeeds() });
    const running = (): number => (own as unknown as { running: Set<unknown> }).running.size;
    const brief = new Renderer({ sandbox: own, limits: { idleMs: 50 } });
    const scene = { ...referenceScene, widgets: referenceScene.widgets.slice(3, 4) };
    await brief.draw(scene, 'png', { owner: 'a' });
    await until('the processes have ended', running, (count) => count === 0);
    const drawing = brief.draw(largeScene, 'png', { owner: 'a' });
    drawing.catch(() => undefined);
    await until('a process has begun', running, (count) => count > 0);
    await brief.close();
    await expect(drawing).rejects.toThrow(new RenderingFailed('Pictures are not drawn any more: the service stops'));
    expect(running()).toBe(0);
  });

  it('tells how far it is', async () => {
    const told: string[] = [];
    await renderer.draw(referenceScene, 'png', {
      owner: 'a',
      onProgress: (done, total) => told.push(`${done}/${total}`),
    });
    expect(told).toEqual(Array.from({ length: 9 }, (_, index) => `${index + 1}/9`));
  });

  it('draws what a scene has had since its picture was last looked at', async () => {
    const drawn = halved(PNG.sync.read(await renderer.draw(referenceScene, 'png', { owner: 'a' })));
    const { width, height } = drawn;
    if (process.env['PLINTH_WRITE_PICTURES'])
      writeFileSync(REFERENCE, PNG.sync.write(drawn, { colorType: 2, deflateLevel: 9 }));
    const reference = PNG.sync.read(readFileSync(REFERENCE));
    expect([width, height]).toEqual([reference.width, reference.height]);
    const difference = new PNG({ width, height });
    const pixels = pixelmatch(reference.data, drawn.data, difference.data, width, height, { threshold: 0.15 });
    if (pixels > TOLERATED * width * height) keep('difference.png', PNG.sync.write(difference));
    expect(pixels).toBeLessThanOrEqual(TOLERATED * width * height);
  });

  it.each(['png', 'pdf'] as const)('draws the same scene as the same bytes, as %s', async (format) => {
    const first = await renderer.draw(largeScene, format, { owner: 'a' });
    expect((await renderer.draw(largeScene, format, { owner: 'b' })).equals(first)).toBe(true);
    const other = await renderer.draw({ ...largeScene, theme: 'dark' }, format, { owner: 'a' });
    expect(other.equals(first)).toBe(false);
  });

  it('draws a scene that is very high with fewer pixels', async () => {
    const widgets = Array.from({ length: 150 }, (_, index) => ({
      ...{ id: `t${index}`, type: 'TEXT' as const, x: 0, w: 12, h: 2, text: `Text ${index}` },
      y: index * 2,
    }));
    const [width = 0, height = 0] = sizeOf(await renderer.draw({ ...referenceScene, widgets }, 'png', { owner: 'a' }));
    expect(width * height).toBeLessThanOrEqual(48_100_000);
    expect(height).toBeGreaterThan(15_000);
  });

  it('cuts a PDF into pages with title, time and numbers, its text is text, and its fonts are in it', async () => {
    const pdf = await renderer.draw(largeScene, 'pdf', { owner: 'a' });
    const { pages, fonts, times } = pdfPages(pdf);
    expect(pages).toHaveLength(3);
    expect(times).toEqual(['D:20251122070000Z']);
    expect(fonts).toEqual(['NotoSans-Bold', 'NotoSans-Italic', 'NotoSans-Regular']);
    const [first = '', second = '', third = ''] = pages;
    for (const text of [
      'Revenue overview — Огляд',
      '8:00 AM · Europe/Berlin',
      '€5,493,281',
      'перше замовлення',
      'Page 1 of 3',
    ])
      expect(first).toContain(text);
    for (const text of ['Revenue overview — Огляд', 'Ελλάδα', '75 more rows', 'By region', 'Notes', 'Page 2 of 3'])
      expect(second).toContain(text);
    for (const text of ['The query failed: no such column', 'AI summary', 'Page 3 of 3']) expect(third).toContain(text);
    expect(pages.join('')).not.toContain('alert');
  });

  it('makes HTML with tables, drawings and tabs, and without scripts, styles of elements and addresses to load', async () => {
    const { title, body, css, parts } = await renderer.html(largeScene, { owner: 'a' });
    expect(title).toBe('Revenue overview — Огляд');
    expect(body).not.toMatch(/<script|alert|<iframe|<img|<link|\son\w+=|\sstyle=|\ssrc=|url\((?!#)|file:|javascript:/i);
    expect(css).not.toMatch(/url\(|@import|http/);
    expect([...body.matchAll(/(?:href|xmlns\S*)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'https://example.com/notes',
    ]);
    expect(body).toMatch(/<th class="plinth-number">Revenue<\/th>/);
    expect(body.match(/type="radio"/g)).toHaveLength(2);
    expect(parts.map(({ id }) => id)).toEqual(largeScene.widgets.map(({ id }) => id));
    const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    keep('page.html', Buffer.from(`<!doctype html><meta charset="utf-8"><style>${css}</style>${body}`));
  });

  it('writes numbers, months and times of charts in the language and the time zone of the reader', async () => {
    const spec = {
      mark: 'text',
      data: { values: [{ n: 1234.5, t: '2025-03-01T23:30:00Z' }] },
      transform: [{ calculate: `format(datum.n, ',.2f') + ' ' + timeFormat(toDate(datum.t), '%B %H:%M')`, as: 'text' }],
      encoding: { text: { field: 'text' } },
    };
    const scene: Scene = {
      ...referenceScene,
      locale: 'de-DE',
      widgets: [{ ...largeScene.widgets[7]!, type: 'CHART', title: '', chart: { ...barChart, spec } }],
    };
    const { body } = await renderer.html(scene, { owner: 'a' });
    expect(body).toContain('1.234,50 März 00:30');
  });
});

/** Each pixel from four. */
function halved({ width, height, data }: PNG): PNG {
  const half = new PNG({ width: width >> 1, height: height >> 1 });
  for (let index = 0; index < half.data.length; index++) {
    const pixel = index >> 2;
    const at = (2 * Math.floor(pixel / half.width) * width + 2 * (pixel % half.width)) * 4 + (index & 3);
    const below = at + 4 * width;
    half.data[index] = ((data[at] ?? 0) + (data[at + 4] ?? 0) + (data[below] ?? 0) + (data[below + 4] ?? 0) + 2) >> 2;
  }
  return half;
}

/** For people to look at. */
function keep(name: string, bytes: Buffer): void {
  const path = join(__dirname, '../../../node_modules/.cache/plinth-pictures', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
