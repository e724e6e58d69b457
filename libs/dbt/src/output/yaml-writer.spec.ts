import fc from 'fast-check';
import { parse } from 'yaml';
import { literal } from '../cubes/literal';
import { metaValue } from './meta-values';
import { yaml } from './yaml-writer';

const text = fc.string({
  unit: fc.constantFrom(
    ...'ab {}%#\\"\'`\n\t:-&*!|>@?,[]\u2028\u0085\ufeff',
    '{{',
    '%}',
    '😀',
    'yes',
    'null',
    '~',
    '1.0',
  ),
});

describe('YAML', () => {
  it('is read back as it was written', () => {
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('node')),
        fc.dictionary(
          text.filter((key) => key !== '' && key !== '__proto__'),
          tie('node'),
        ),
      ),
    })).node;
    fc.assert(
      fc.property(value, (node) =>
        expect(parse(yaml({ node } as never))).toEqual(JSON.parse(JSON.stringify({ node }))),
      ),
    );
  });

  it('leaves out what has no value, and what no file can hold', () => {
    expect(yaml({ a: undefined, b: [], c: {}, d: 'x\0y' })).toBe('b: []\nc: {}\nd: "xy"\n');
    expect(yaml({ a: '\ud800' })).toBe('a: "\\ud800"\n');
  });
});

describe('a literal text', () => {
  it('has no brace, and no backslash but before its code', () => {
    fc.assert(fc.property(text, (value) => expect(literal(value).replace(/\\x(5c|7b|7d)/g, '')).not.toMatch(/[{}\\]/)));
    expect(literal('{a} \\x')).toBe('\\x7ba\\x7d \\x5cx');
  });
});

describe('meta', () => {
  it('is data also where the compiler would read code', () => {
    const meta = {
      public: 'a and {b} "',
      sql: 'select 1',
      extends: 'x',
      nested: { prefix: true, list: ['{x}', '', null, 1] },
    };
    expect(metaValue(meta)).toEqual({
      public: 'f"a and \\x7bb\\x7d \\x22"',
      sql_: 'select 1',
      extend: 'x',
      nested: { prefix: true, list: ['\\x7bx\\x7d', null, null, 1] },
    });
  });

  it('ends where it is deeper than anybody writes', () => {
    let deep: object = {};
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    expect(JSON.stringify(metaValue(deep)).length).toBeLessThan(500);
  });
});
