import { boundMs } from '@plinth/testing';
import { redactSqlLiterals } from './redact';

describe('a statement for a log', () => {
  it.each([
    ["SELECT a FROM t WHERE b = 'secret'", "SELECT a FROM t WHERE b = 'redacted'"],
    ["b = 'it''s secret' AND c = ''", "b = 'redacted' AND c = 'redacted'"],
    ["b = E'a \\' secret'", "b = 'redacted'"],
    ['b = $$secret$$', "b = 'redacted'"],
    ['b = $x$ sec$$ret $x$', "b = 'redacted'"],
    ["b = 'secret that does not end", "b = 'redacted'"],
    ['b = "a name" AND c = 1', 'b = "a name" AND c = 1'],
  ])('%s', (sql, shown) => {
    expect(redactSqlLiterals(sql)).toBe(shown);
  });

  it('takes no longer than its length', () => {
    const started = performance.now();
    redactSqlLiterals(`${"'".repeat(50_001)}${"E'\\".repeat(50_000)}${'$a$'.repeat(20_001)}`);
    expect(performance.now() - started).toBeLessThan(boundMs(2_000));
  });
});
