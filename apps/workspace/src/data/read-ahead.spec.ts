import { readAhead } from './read-ahead';

const take = async <T>(results: AsyncGenerator<T>, count: number): Promise<T[]> => {
  const taken: T[] = [];
  while (taken.length < count) {
    const { value, done } = await results.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
};

describe('reading ahead', () => {
  it('begins no more than a few before a slow reader takes the first', async () => {
    const begun: number[] = [];
    const results = readAhead([0, 1, 2, 3, 4, 5], 2, (item) => {
      begun.push(item);
      return Promise.resolve(item);
    });
    expect(begun).toEqual([]);
    await take(results, 1);
    expect(begun).toEqual([0, 1]);
    await take(results, 2);
    expect(begun).toEqual([0, 1, 2, 3]);
    await results.return(undefined);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('answers in order, whatever ends first', async () => {
    const ends: (() => void)[] = [];
    const results = readAhead(['a', 'b', 'c'], 3, async (item) => {
      if (item !== 'c') await new Promise<void>((resolve) => ends.push(resolve));
      return item;
    });
    const all = take(results, 3);
    for (const end of ends.reverse()) end();
    expect(await all).toEqual(['a', 'b', 'c']);
  });

  it('answers nothing for nothing', async () => {
    expect(
      await take(
        readAhead([], 4, () => Promise.resolve(1)),
        1,
      ),
    ).toEqual([]);
  });
});
