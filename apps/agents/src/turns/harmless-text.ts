/** Pairs of characters that make links, images and HTML of Markdown, with what may stand before the second one. */
const PAIRS = /(\])(?=[(:[])|(<)(?=[a-z/!?])/gi;

/**
 * A text that a model adds to what it has said, in which nothing is an image, a link behind other words, or HTML: data that
 * a model believes could otherwise have clients load an address with what it has seen. Addresses stay readable.
 *
 * @param before - What was said so far, as it was answered here
 */
export function harmlessText(before: string, piece: string): string {
  const last = before.slice(-1);
  return (last + piece).replace(PAIRS, '$1$2 ').slice(last.length);
}
