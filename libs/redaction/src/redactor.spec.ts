import { withoutCredentials } from './hidden-credentials';
import { Redactor } from './redactor';

const LIMIT = 8_192;
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln';
const variables = {
  CUBEJS_DB_PASS: 'hun"ter/2hunter',
  CUBEJS_DB_HOST: 'db.example.com',
  CUBEJS_DB_URL: 'mysql://me:p%40ssword@db/shop',
  API_KEY: 'abc',
  USE_TOKEN: 'true',
  SECRET_LONG: 'hun"ter/2hunter-and-more',
};

describe(Redactor.name, () => {
  const redactor = new Redactor({ variables, secrets: ['of-its-own'] });

  it.each([
    ['a password', 'password hun"ter/2hunter is wrong', 'password [HIDDEN] is wrong'],
    ['a password in JSON', '{"password":"hun\\"ter/2hunter"}', '{"password":"[HIDDEN]"}'],
    ['a password in an address', 'postgres://u:hun%22ter%2F2hunter@h/d', 'postgres://u:[HIDDEN]@h/d'],
    ['a password that no variable has', 'postgres://u:other@h/d', 'postgres://u:[HIDDEN]@h/d'],
    ['the password of an address that a variable has', 'no access with p@ssword', 'no access with [HIDDEN]'],
    ['a secret that begins with another', 'hun"ter/2hunter-and-more', '[HIDDEN]'],
    ['a secret that is no variable', 'key of-its-own', 'key [HIDDEN]'],
    ['a token', `token ${token}`, 'token [HIDDEN]'],
    ['a header', '"authorization":"Bearer abcdef"', '"authorization":"[HIDDEN]"'],
    ['a header on a line of its own', 'Authorization: abcdef', 'Authorization: [HIDDEN]'],
  ])('hides %s', (_case, line, expected) => {
    expect(redactor.clean(line)).toBe(expected);
  });

  it('hides the secrets of a data source, whatever it is called, and not what it is', () => {
    const variables = { CUBEJS_DS_PASSWORDS_DB_TYPE: 'postgres', CUBEJS_DS_PASSWORDS_DB_PASS: 'hunter22' };
    const cleaned = new Redactor({ variables }).clean('postgres says: password hunter22 is wrong');
    expect(cleaned).toBe('postgres says: password [HIDDEN] is wrong');
  });

  it('leaves what is no secret, and values that stand in any text', () => {
    const line = 'connected to db.example.com as abc: true';
    expect(redactor.clean(line)).toBe(line);
  });

  it.each([
    ['a password', variables.CUBEJS_DB_PASS, 'hun'],
    ['a token', token, 'eyJ'],
    ['a password in an address', 'postgres://u:other@h/d', 'oth'],
    ['a key of the API', `sk-${'a1'.repeat(20)}`, 'sk-'],
  ])('leaves no beginning of %s at the end of a text that is cut', (_case, secret, beginning) => {
    for (const left of [1, 4, 8, 16, 32]) {
      const cleaned = redactor.clean('x '.repeat(LIMIT).slice(0, LIMIT - left) + secret + ' more'.repeat(20));
      expect(cleaned).not.toContain(beginning);
      expect(cleaned.length).toBeLessThanOrEqual(LIMIT);
    }
  });

  it('bears secrets that are no text of Unicode', () => {
    expect(new Redactor({ secrets: ['half \ud800 of it'] }).clean('a half \ud800 of it')).toBe('a [HIDDEN]');
  });
});

describe(withoutCredentials.name, () => {
  it('leaves no beginning of a credential at the end of a text that is cut', () => {
    expect(withoutCredentials(`at ${token}`, 20)).toBe('at [HIDDEN]');
  });
});
