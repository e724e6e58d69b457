import { redactorOf } from './redaction';

const variables = {
  CUBEJS_DB_PASS: 'hun"ter/2hunter',
  CUBEJS_DB_HOST: 'db.example.com',
  API_KEY: 'abc',
  SECRET_LONG: 'hun"ter/2hunter-and-more',
};

describe(redactorOf.name, () => {
  const redact = redactorOf(variables);

  it.each([
    ['a password', 'password hun"ter/2hunter is wrong', 'password [HIDDEN] is wrong'],
    ['a password in JSON', '{"password":"hun\\"ter/2hunter"}', '{"password":"[HIDDEN]"}'],
    ['a password in an address', 'postgres://u:hun%22ter%2F2hunter@h/d', 'postgres://u:[HIDDEN]@h/d'],
    ['a password that no variable has', 'postgres://u:other@h/d', 'postgres://u:[HIDDEN]@h/d'],
    ['a secret that begins with another', 'hun"ter/2hunter-and-more', '[HIDDEN]'],
    ['a token', 'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'token [HIDDEN]'],
    ['a header', '"authorization":"Bearer abcdef"', '"authorization":"[HIDDEN]"'],
    ['a header on a line of its own', 'Authorization: abcdef', 'Authorization: [HIDDEN]'],
  ])('hides %s', (_case, line, expected) => {
    expect(redact(line)).toBe(expected);
  });

  it('leaves what is no secret, and values too short to be one', () => {
    const line = 'connected to db.example.com as abc';
    expect(redact(line)).toBe(line);
  });

  it('cuts a line only when no part of a secret can be left at its end', () => {
    const redacted = redact('x'.repeat(8_185) + variables.CUBEJS_DB_PASS);
    expect(redacted).not.toContain('hun');
    expect(redacted.length).toBeLessThanOrEqual(8_192);
  });
});
