import { join } from 'node:path';
import { Fonts } from '../drawing/fonts';
import { themeOf } from '../drawing/theme';
import type { Chart, ChartColumn } from '../scene';
import { fallingKpi, kpi, sankey, table } from '../testing/sample-scene';
import { drawKpi } from './kpi';
import { drawText } from './markdown';
import { drawSankey } from './sankey';
import { drawTable } from './table';
import type { Tools } from './widget-tools';

const fonts = new Fonts(
  ['Regular', 'Bold', 'Italic'].map((name) => join(__dirname, `../../fonts/NotoSans-${name}.ttf`)),
);
const look = { theme: 'light' as const, colours: null, locale: 'en-US', timeZone: 'UTC', at: 0 };
const tools: Tools = { fonts, theme: themeOf({ theme: 'light' }), look, width: 400, height: 200, output: 'picture' };
const textsOf = (markup: string) => [...markup.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text);
const column = (name: string, type: string): ChartColumn => ({
  name,
  title: name,
  type,
  format: null,
  decimalPlaces: null,
});

describe('a text', () => {
  const drawn = (text: string, height = 200) => textsOf(drawText(text, { ...tools, height }).markup).join(' ');

  it('has nothing of scripts and other HTML in it', () => {
    expect(drawn('a <script>alert(1)</script> b <b>c</b>')).toBe('a b c');
    expect(drawn('<script>\nalert(1)\n</script>\n\nafter')).toBe('after');
    expect(drawn('&lt;b&gt; `<i>`')).toBe('&lt;b&gt; &lt;i&gt;');
  });

  it('ends with an ellipsis where there is no room', () => {
    expect(drawn('one\n\ntwo\n\nthree', 40)).toBe('one …');
  });

  it('has headings, lists, emphasis, links, code and tables', () => {
    const { markup } = drawText('# A\n- *b*\n- **c** [d](http://e)\n\n> f\n\n| g | h |\n|---|---|\n| i | j |', {
      ...tools,
      height: 400,
    });
    expect(textsOf(markup)).toEqual(
      ['A', 'b', '•', 'c', 'd', '•', 'f', 'g  ·  h', 'i  ·  j'].map((text) => text.replace(/ {2}/g, ' ')),
    );
    expect(markup).not.toContain('http');
  });
});

describe('a table', () => {
  it('says that there are no rows, and how many rows there are that it has no room for', () => {
    expect(textsOf(drawTable({ ...table, rows: [] }, tools).markup)).toEqual(['No rows']);
    expect(textsOf(drawTable(table, tools).markup)).toContain('79 more rows');
    expect(textsOf(drawTable({ ...table, rowCount: 1_000_000 }, tools).markup)).toContain('999,995 more rows');
  });

  it('has no text that is wider than its column', () => {
    const wide: Chart = {
      kind: 'table',
      columns: [column('a', 'string'), column('b', 'number')],
      rows: [{ a: 'word '.repeat(60), b: 1 }],
    };
    expect(textsOf(drawTable(wide, tools).markup).find((text) => text?.startsWith('word'))).toMatch(/…$/);
  });

  it('escapes what is in it, in a picture and as HTML', () => {
    const hostile: Chart = {
      kind: 'table',
      columns: [column('a', 'string')],
      rows: [{ a: '<script>alert(1)</script>' }],
    };
    for (const output of ['picture', 'html'] as const)
      expect(drawTable(hostile, { ...tools, output }).markup).toContain('&lt;script&gt;');
  });
});

describe('a figure', () => {
  it('is shown with what has become of it', () => {
    expect(textsOf(drawKpi(kpi, tools).markup)).toEqual(['€5,493,281', '+9.6%', 'vs. previous month']);
    expect(textsOf(drawKpi(fallingKpi, tools).markup)).toEqual(['3.42%', '-7.8%', 'vs. before']);
  });

  it('is none without a row', () => {
    expect(textsOf(drawKpi({ ...kpi, rows: [] }, tools).markup)).toEqual(['No value']);
  });
});

describe('a sankey', () => {
  it('is refused when what flows comes back, with the reason', () => {
    const rows = [
      { from: 'a', to: 'b', visits: 1 },
      { from: 'b', to: 'a', visits: 1 },
    ];
    expect(() => drawSankey({ ...sankey, rows }, tools)).toThrow('there is a circle');
  });

  it('names its nodes with their values', () => {
    expect(textsOf(drawSankey(sankey, tools).markup)).toEqual(expect.arrayContaining(['Ads  80', 'Visit  240']));
  });
});
