import { familiesOf } from './page-font';

const own = '"Noto Sans",system-ui,sans-serif';

describe('the font of a theme', () => {
  it('is nothing where it is absent, or no name of a family', () => {
    for (const font of [null, undefined, '', ' , ', '"}body{x:y', 'url(https://x.test/f)', 'a;b', '</style>', '\\22'])
      expect([font, familiesOf(font)]).toEqual([font, null]);
  });

  it('is what the device has, before our own, as far as it is a name', () => {
    expect(familiesOf('Inter')).toBe(`"Inter",${own}`);
    expect(familiesOf(`'Segoe UI', "Zen Kaku Gothic", SERIF, x{}`)).toBe(`"Segoe UI","Zen Kaku Gothic",serif,${own}`);
    expect(familiesOf('a,'.repeat(50))?.split(',')).toHaveLength(13);
  });
});
