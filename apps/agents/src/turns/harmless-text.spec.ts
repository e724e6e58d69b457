import { harmlessText } from './harmless-text';

const inPieces = (text: string, length: number): string => {
  let said = '';
  for (let from = 0; from < text.length; from += length) said += harmlessText(said, text.slice(from, from + length));
  return said;
};

describe('what a model says', () => {
  it.each([
    ['![a](https://evil.test)', '![a] (https://evil.test)'],
    ['[a](https://evil.test)', '[a] (https://evil.test)'],
    ['![a][b]\n\n[b]: https://evil.test', '![a] [b]\n\n[b] : https://evil.test'],
    ['<img src=x> <a href="x">a</a> <!-- x -->', '< img src=x> < a href="x">a< /a> < !-- x -->'],
  ])('has no links, images and HTML: %s', (given, expected) => {
    for (const length of [1, 2, 3, 1_000]) expect(inPieces(given, length)).toBe(expected);
  });

  it('stays as it is otherwise', () => {
    const plain = 'a < 7, b[0] > 3 (see https://example.com)\n| a | b |\n| --- | --- |\n- [x] **done**: `a<=b`';
    for (const length of [1, 7, 1_000]) expect(inPieces(plain, length)).toBe(plain);
  });
});
