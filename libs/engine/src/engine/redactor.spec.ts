import { Redactor } from './redactor';

describe('text that leaves the engine', () => {
  it.each([
    ['a secret', 'password "hush-hush" is wrong', 'password "***" is wrong'],
    ['a secret that holds another', 'hush-hush-more', '***'],
    ['a token', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.abc-_1 ends', 'Bearer *** ends'],
    ['credentials of an address', 'cannot reach postgres://me:pass@host/db', 'cannot reach postgres://me:***@host/db'],
  ])('is without %s', (_, text, cleaned) => {
    expect(new Redactor(['hush', 'hush-hush', 'hush-hush-more']).clean(text)).toBe(cleaned);
  });
});
