import { isAcceptedVersion, versionOf } from './version';

describe('versions', () => {
  const version = versionOf(new Date(1_772_443_800_000));

  it('is a weak entity tag of the moment of the last change', () => {
    expect(version).toBe('W/"1772443800000"');
  });

  it('moves with what is shown of others', () => {
    const at = new Date(1_772_443_800_000);
    const versions = [
      versionOf(at, []),
      versionOf(at, [{ id: 1, display: 'A' }]),
      versionOf(at, [{ id: 1, display: 'B' }]),
      versionOf(at, [{ id: 1, display: 'A' }], ['x']),
      versionOf(at, [], [{ id: 1, display: 'A' }]),
    ];
    expect(new Set(versions).size).toBe(versions.length);
    expect([versions[0], versionOf(at, [{ id: 1, display: 'A' }])]).toEqual([version, versions[1]]);
    expect(versions[1]).toMatch(/^W\/"1772443800000-[\w-]{16}"$/);
  });

  it.each(['W/"1"', '"1"', '', '1772443800000'])('does not accept a resource under the condition %p', (condition) => {
    expect(isAcceptedVersion(version, condition)).toBe(false);
  });

  it.each([undefined, '*', version, '"1772443800000"', `"1", ${version}`])(
    'accepts a resource under %p',
    (condition) => {
      expect(isAcceptedVersion(version, condition)).toBe(true);
    },
  );
});
