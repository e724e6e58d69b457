import { join } from 'node:path';
import { Fonts } from './fonts';
import { wrapped } from './lines';

const folder = join(__dirname, '../../fonts');
const fonts = new Fonts(['NotoSans-Regular.ttf', 'NotoSans-Bold.ttf', 'LICENSE.txt'].map((name) => join(folder, name)));
const style = { size: 10 };
const bold = { size: 10, bold: true };

describe('fonts', () => {
  it('that are none are passed over', () => {
    expect(fonts.faces.map(({ family, bold: isBold }) => [family, isBold])).toEqual([
      ['Noto Sans', false],
      ['Noto Sans', true],
    ]);
  });

  it('have a width for every letter, also for those that they lack, but for those that are not seen', () => {
    expect(fonts.width('東', style)).toBeGreaterThan(3);
    expect(fonts.width('\u200d\ufe0f', style)).toBe(0);
    expect(fonts.width('Österreich Київ', bold)).toBeGreaterThan(fonts.width('Österreich Київ', style));
  });

  it('cut a text where it is too wide, between whole letters', () => {
    expect(fonts.fitted('short', 100, style)).toBe('short');
    const cut = fonts.fitted('🚀'.repeat(50), 60, style);
    expect(cut).toMatch(/^(?:🚀)+…$/u);
    expect(fonts.width(cut, style)).toBeLessThanOrEqual(60);
  });
});

describe('lines', () => {
  const texts = (spans: { text: string; style: typeof style }[], width: number) =>
    wrapped(fonts, spans, width).map((line) => line.map(({ text }) => text));

  it('break a word that is wider than they may be', () => {
    const lines = texts([{ text: 'x'.repeat(40), style }], 50).flat();
    expect(lines.length).toBeGreaterThan(3);
    expect(lines.join('')).toBe('x'.repeat(40));
  });

  it('are no wider than they may be, and end where the text says so', () => {
    const lines = wrapped(fonts, [{ text: 'one two three four five\nsix', style }], 60);
    for (const line of lines) {
      const last = line.at(-1)!;
      expect(last.x + fonts.width(last.text, style)).toBeLessThanOrEqual(60);
    }
    expect(lines.at(-1)!.map(({ text }) => text)).toEqual(['six']);
  });

  it('leave the space between parts of different styles', () => {
    const [line] = wrapped(
      fonts,
      [
        { text: 'up ', style },
        { text: '9 %', style: bold },
        { text: ' today', style },
      ],
      500,
    );
    expect(line!.map(({ text }) => text)).toEqual(['up', '9 %', 'today']);
    expect(line![1]!.x).toBeCloseTo(fonts.width('up ', style));
  });
});
