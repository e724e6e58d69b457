/**
 * Results in the order of the items. A few are under way at any time, also while the reader is slow: what is in memory is bounded.
 *
 * @param run - must not reject: nobody waits for what was begun when the reader leaves.
 */
export async function* readAhead<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  run: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  for (let next = 0; next < items.length || underWay.length > 0;) {
    while (next < items.length && underWay.length < atOnce) underWay.push(run(items[next++] as Item));
    yield (await underWay.shift()) as Result;
  }
}
