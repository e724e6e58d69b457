import type { MetaCube } from '@plinth/queries';
import { findCubes } from './found-members';
import { MOST_CHARACTERS } from './fitting';

const cubeOf = (name: string, members: number, longest: number): MetaCube => ({
  name,
  measures: Array.from({ length: members }, (_none, n) => ({ name: `${name}.m${n}`, title: 'x'.repeat(longest) })),
});

describe('views and cubes that were found', () => {
  it('are no more than an answer holds, however large the data model is, and more than one', () => {
    const cubes = Array.from({ length: 60 }, (_none, n) => cubeOf(`cube${n}`, 300, 2_000));
    const found = findCubes(cubes, { search: '', views: null });
    expect(JSON.stringify(found).length).toBeLessThan(MOST_CHARACTERS + 1_000);
    expect(found.length).toBeGreaterThan(1);
  });

  it('fit one of the first twenty words of a search, which is all that is looked for', () => {
    const [orders, staff] = [cubeOf('orders', 1, 1), cubeOf('staff', 1, 1)];
    const namesFor = (...words: string[]) =>
      findCubes([orders, staff], { search: words.join(' '), views: null }).map(({ name }) => name);
    const others = Array.from({ length: 20 }, (_none, n) => `word${n}`);
    expect(namesFor(...others.slice(1), 'staff')).toEqual(['staff']);
    expect(namesFor(...others, 'staff')).toEqual(['orders', 'staff']);
  });
});
