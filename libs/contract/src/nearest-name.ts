/** A letter left out, too many, wrong, or swapped with its neighbour, twice: more is no slip any more. */
const slips = 2;
const lettersPerSlip = 4;

/**
 * The name that was meant by one that is none of them; undefined when none is near. Short names forgive less than long ones,
 * and the case and the hyphens and underscores between words are no matter.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const written = plain(name);
  const near = names
    .map((known) => ({ known, edits: editsBetween(written, plain(known)) }))
    .filter(({ known, edits }) => edits <= Math.min(slips, Math.floor(plain(known).length / lettersPerSlip)));
  return near.sort((left, right) => left.edits - right.edits)[0]?.known;
}

const plain = (name: string): string => name.toLowerCase().replace(/[-_]/g, '');

/** The optimal string alignment distance, row by row: Levenshtein's, in which a swap of neighbours is one edit. */
function editsBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > slips) return Infinity;
  let [twoAbove, above]: number[][] = [[], Array.from({ length: to.length + 1 }, (_value, index) => index)];
  for (let row = 1; row <= from.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(above, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? at(twoAbove, column - 2) + 1 : Infinity;
      line.push(Math.min(replaced, swapped, at(above, column) + 1, at(line, column - 1) + 1));
    }
    [twoAbove, above] = [above, line];
  }
  return at(above, to.length);
}

const at = (row: readonly number[] = [], index: number): number => row[index] ?? Infinity;
