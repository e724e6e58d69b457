import { join } from 'node:path';
import { runChild } from '@plinth/testing';
import fc from 'fast-check';

interface Told {
  quick: string;
  asked: boolean;
  python: string;
}

async function tell(...texts: string[]): Promise<Told[]> {
  const { output } = await runChild(join(__dirname, 'testing/parse-texts.child.ts'), { texts });
  return JSON.parse(output.split('\n').at(-1) ?? '') as Told[];
}

describe('texts of YAML', () => {
  it('go to the Python parser where they are more than plain', async () => {
    const texts = [
      'f"{1 + 1}"',
      'f"{class}"',
      'f"{ CUBE }.id"',
      'f"{a(b)}"',
      `f"{FILTER_PARAMS.a.b.filter('x')}"`,
      'f"a } b"',
      'f"two\nlines"',
      'f"{a}{b}"',
      'f"`tick"',
      'f"\\u12"',
      '[a, b]',
      '"text"',
      'None',
      'a.in',
      'a .b',
      'größe',
    ];
    expect((await tell(...texts)).map(({ asked }) => asked)).toEqual(texts.map(() => true));
  });

  it('are read without it where they are plain, as it reads them', async () => {
    const texts = [
      'f"orders"',
      `f" a sentence, with (signs) & 100 % of it; it's #1 "`,
      'f"{CUBE}.id"',
      'f"{CUBE}"',
      'f"{a.b.c} = {d}"',
      'f"in \\x7bbraces\\x7d and C:\\x5ctemp"',
      'f"{CUBE}.\\"Order\\" and \\`ticks\\`"',
      'f"${x} and $y"',
      'f"größer, 日本, 😀"',
      'name',
      'CUBE.created_at',
    ];
    const told = await tell(...texts);
    expect(told.map(({ quick }) => quick)).toEqual(told.map(({ python }) => python));
    expect(told.map(({ asked }) => asked)).toEqual(texts.map(() => false));
  });

  it('are the same to both, whatever they are', async () => {
    const parts = [...'ab_1 .,()\'`"$#%\\{}xn\té', '😀', '\n', '\\x7b', '\\"', '{CUBE}', '{a.b}', '{not}', '{_x}'];
    const text = fc.array(fc.constantFrom(...parts), { maxLength: 10 }).map((list) => `f"${list.join('')}"`);
    const path = fc.array(fc.constantFrom('a', '_b1', 'CUBE', 'in', '.', '..', ' ', '1'), { maxLength: 4 });
    const texts = [...fc.sample(text, 1_000), ...fc.sample(path, 200).map((list) => list.join(''))];
    const told = await tell(...texts);
    expect(
      told.flatMap(({ quick, python }, index) => (quick === python ? [] : [{ text: texts[index], quick, python }])),
    ).toEqual([]);
    expect(told.some(({ asked }) => !asked)).toBe(true);
  });
});
