import { addressOf, hiddenFields, localeIn, timeZoneIn, viewIn } from './page-view';

describe('how a page is shown', () => {
  it('passes over what is no theme, no language and no time zone', () => {
    const view = viewIn(
      new URLSearchParams('frame=f&theme=pink&locale=not_one!&timezone=%2B02:00&x=1&c.a=1&folder=../1'),
    );
    expect(view).toEqual({
      frame: 'f',
      theme: null,
      locale: null,
      timezone: null,
      folder: null,
      list: null,
      after: null,
      share: null,
      fields: null,
    });
    expect([localeIn('de-de'), timeZoneIn('Europe/Kyiv'), timeZoneIn('Nowhere/Land')]).toEqual([
      'de-DE',
      'Europe/Kyiv',
      null,
    ]);
  });

  it('is the same from its own address, and has no other fields than those of controls', () => {
    const given = new URLSearchParams(
      'frame=f&theme=dark&locale=de&chosen=1&c.a=x%26y&c.a=z&c.b=&token=secret&session=s',
    );
    const view = viewIn(given);
    expect(view.fields).toEqual({ 'c.a': ['x&y', 'z'], 'c.b': [] });
    const address = addressOf('/embed/dashboard/x', view);
    expect(address).toBe('/embed/dashboard/x?frame=f&theme=dark&locale=de&chosen=1&c.a=x%26y&c.a=z');
    expect(viewIn(new URL(address, 'http://h').searchParams)).toMatchObject({
      theme: 'dark',
      fields: { 'c.a': ['x&y', 'z'] },
    });
    expect(hiddenFields(view, false).map(({ text }) => text)).toHaveLength(3);
  });
});
