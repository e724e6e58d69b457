import { formatValue, isValueOf, parseValue } from './attribute-values';

describe('values of attributes', () => {
  it.each([
    ['number', 'NaN'],
    ['number', ''],
    ['number', '"5"'],
    ['number', '1e999'],
    ['boolean', 'TRUE'],
    ['boolean', '1'],
    ['string_array', 'a,b'],
    ['string_array', '["a",1]'],
    ['number_array', '[null]'],
    ['number_array', '[1'],
  ] as const)('does not take for %s the text %j', (type, text) => {
    expect(parseValue(type, text)).toBeUndefined();
  });

  it.each([
    ['string', '5', '5'],
    ['string', '', ''],
    ['number', ' 5e-1 ', 0.5],
    ['boolean', 'false', false],
    ['string_array', '[]', []],
    ['number_array', '[1,-2]', [1, -2]],
  ] as const)('reads for %s the text %j', (type, text, value) => {
    expect(parseValue(type, text)).toEqual(value);
  });

  it('tells the types of JSON apart', () => {
    expect(isValueOf('number', Infinity)).toBe(false);
    expect(isValueOf('string', null)).toBe(false);
    expect(isValueOf('number_array', [1, '2'])).toBe(false);
  });

  it('writes values for people', () => {
    expect([formatValue(null), formatValue(''), formatValue(false), formatValue(['a', 'b'])]).toEqual([
      null,
      '',
      'false',
      'a, b',
    ]);
  });
});
