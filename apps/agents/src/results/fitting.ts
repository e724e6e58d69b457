/** Of an answer of a tool, as JSON: language models pay for each character, and a message of the bus is bounded. */
export const MOST_CHARACTERS = 150_000;

/** The first of the items, as many as so many characters of JSON hold. */
export function fitting<Item>(items: readonly Item[], mostCharacters = MOST_CHARACTERS): Item[] {
  let left = mostCharacters;
  const end = items.findIndex((item) => {
    left -= JSON.stringify(item).length;
    return left < 0;
  });
  return items.slice(0, end === -1 ? undefined : end);
}
