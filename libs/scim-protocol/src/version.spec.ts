import { isAcceptedVersion, versionOf } from './version';

describe('versions', () => {
  const version = versionOf(new Date(1_772_443_800_000));

  it('is a weak entity tag of the moment of the last change', () => {
    expect(version).toBe('W/"1772443800000"');
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
