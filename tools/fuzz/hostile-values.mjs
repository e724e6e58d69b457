import fc from 'fast-check';

const nested = (depth, inside) => JSON.parse(`${inside[0].repeat(depth)}${inside[1].repeat(depth)}`);
const DEPTHS = [2, 60, 1_000];

const numbers = [0, -1, -0, 1.5, 1e-7, 1e21, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 2 ** 63, 2 ** 64, 999_999_999];

/** Not every one is an instant, and not every instant fits into a column. */
const dates = [
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '9999-12-31T23:59:60Z',
  '+275760-09-13T00:00:00.001Z',
  '294277-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-11-22T25:61:61Z',
  '2026-11-22T00:00:00+99:99',
  '2026-11-22',
  '1e3',
];

const texts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e',
  '\u2028',
  'e\u0301',
  '\u{1f469}\u200d\u{1f4bb}',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'true',
  '-1',
  '1e400',
  '../../../etc/passwd',
  '/etc/passwd',
  '.git/config',
  'model//a.yml',
  'a/./b',
  'refs/heads/main',
  '--upload-pack=x',
  '-main',
  'main.lock',
  "' or 1=1 --",
  '%',
  '_',
  '\\',
  '"',
  '${7*7}',
  '{{ 7 * 7 }}',
  '{% for x in range(9) %}',
  '<script>alert(1)</script>',
  '%00',
  '%ff',
  'a\r\nX-Injected: 1',
  'x'.repeat(256),
  '\u00e9'.repeat(1_025),
  'x'.repeat(70_000),
  ...dates,
];

/** Values that no schema asks for; JSON can say all of them. */
export const hostileValue = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts) },
  { weight: 3, arbitrary: fc.constantFrom(...numbers) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(null, 1, 'x', {}), { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom({}, { __proto__: null, a: 1 }, JSON.parse('{"__proto__":{"isAdmin":true}}')),
  },
  { weight: 1, arbitrary: fc.constantFrom(...DEPTHS).map((depth) => nested(depth, '[]')) },
);

export const hostileText = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'binary', maxLength: 40 }));
