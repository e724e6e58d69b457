import { connectionSettings } from './connection-settings';

describe('what is read from PostgreSQL', () => {
  const { getTypeParser } = connectionSettings('postgres://localhost/plinth', {}).types;
  const [bigint, bigintArray, text]: number[] = [20, 1016, 25];
  const parse = (type: number, value: string): unknown => getTypeParser(type)(value);

  it('has ids as numbers, alone and in arrays', () => {
    expect(parse(bigint!, '12')).toBe(12);
    expect(parse(bigintArray!, '{1,9007199254740991}')).toEqual([1, Number.MAX_SAFE_INTEGER]);
    expect(parse(bigintArray!, '{}')).toEqual([]);
    expect(parse(text!, '12')).toBe('12');
  });

  it('refuses an id that a number cannot hold, rather than change it', () => {
    expect(() => parse(bigint!, '9007199254740993')).toThrow(RangeError);
    expect(() => parse(bigintArray!, '{1,9007199254740993}')).toThrow(RangeError);
  });
});
