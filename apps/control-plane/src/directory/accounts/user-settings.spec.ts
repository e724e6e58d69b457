import { checkSettings, mergeSettings } from './user-settings';

describe('preferences', () => {
  it.each([{ locale: 'not a locale' }, { locale: '' }, { timezone: 'Moon/Crater' }])('refuse %j', (change) => {
    expect(() => checkSettings(change, '/body')).toThrow('/body/');
  });

  it.each([{}, { locale: 'pt-BR', timezone: 'Europe/Berlin' }, { locale: null, timezone: null }])(
    'take %j',
    (change) => {
      expect(() => checkSettings(change, '/body')).not.toThrow();
    },
  );

  it('keep what is absent and lose what is null', () => {
    const current = { theme: 'dark', locale: 'en', alternatingRowColors: false, defaultDeploymentId: 4 };
    expect(mergeSettings(current, { locale: 'de', defaultDeploymentId: null })).toEqual({
      theme: 'dark',
      locale: 'de',
      alternatingRowColors: false,
    });
  });

  it('merge sheets field by field, and lose them all with null', () => {
    const current = { sheets: { showAppliedFilters: true, revealSheetOnOpen: false } };
    const change = { sheets: { revealSheetOnOpen: null, suppressDuplicateValues: true } };
    expect(mergeSettings(current, change)).toEqual({
      sheets: { showAppliedFilters: true, suppressDuplicateValues: true },
    });
    expect(mergeSettings(current, { theme: 'dark' })).toEqual({ ...current, theme: 'dark' });
    expect(mergeSettings(current, { sheets: null })).toEqual({});
  });

  it('neither read nor write the newest product note, nor what nobody knows', () => {
    expect(mergeSettings({}, { lastSeenChangelogId: 5, ...{ unknown: 1 } })).toEqual({});
  });
});
