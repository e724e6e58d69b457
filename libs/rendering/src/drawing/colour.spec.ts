import { colourIn, contrast, inkOn, legible } from './colour';
import { themeOf } from './theme';

describe('colours that others have chosen', () => {
  it.each(['red;}body{x:1', 'url(#a)', 'rgb(300,0,0)', '#12', 'var(--x)', '', null])('are no colours: %s', (text) => {
    expect(colourIn(text)).toBeUndefined();
  });

  it.each([
    ['#ABC', '#aabbcc'],
    [' #1b2430 ', '#1b2430'],
    ['rgb(27, 36, 48)', '#1b2430'],
  ])('are read: %s', (text, colour) => {
    expect(colourIn(text)).toBe(colour);
  });

  it('are as legible as letters must be, whatever is chosen', () => {
    for (const accent of ['#ffff00', '#3b5bdb', '#ffffff', '#000000', '#777777']) {
      for (const card of ['#ffffff', '#1b212b', '#ffe0e0', '#777777']) {
        const theme = themeOf({ theme: 'light', colours: { accent, card } });
        expect(contrast(theme.accent, theme.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(theme.ink, theme.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(theme.dim, theme.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(theme.onAccent, theme.accent)).toBeGreaterThanOrEqual(4.5);
      }
    }
  });

  it('stay as they are where they are legible', () => {
    expect(legible('#3b5bdb', '#ffffff', '#000000')).toBe('#3b5bdb');
    expect(inkOn('#ffff00')).toBe('#000000');
    const { page, card, palette } = themeOf({ theme: 'light', colours: { page: '#FFF0F0', accent: '#aa0044' } });
    expect([page, card, palette[0]]).toEqual(['#fff0f0', '#ffffff', '#aa0044']);
  });
});
