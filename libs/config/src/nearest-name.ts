/** Two letters left out, too many, wrong or swapped with their neighbour: more is no slip any more. */
const slip = 2;

/** The name that was meant by one that is none of them; undefined when none is near. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  const near = names.map((known) => ({ known, edits: editsBetween(name, known) })).filter(({ edits }) => edits <= slip);
  return near.sort((left, right) => left.edits - right.edits)[0]?.known;
}

/** Levenshtein's distance, row by row. */
function editsBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > slip) return Infinity;
  let above = Array.from({ length: to.length + 1 }, (_value, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const line = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (above[column] ?? 0) + (letter === other ? 0 : 1);
      line.push(Math.min(replaced, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above[to.length] ?? 0;
}
