import type { References } from '@plinth/git';

/** As git writes them: the line of `HEAD`, and `<id> <name>` for each reference. */
export const writeReferences = ({ head, refs }: References): string =>
  [`ref: ${head}`, ...[...refs].map(([name, oid]) => `${oid} ${name}`), ''].join('\n');

export function parseReferences(text: string): References {
  const [first = '', ...lines] = text.split('\n');
  const refs = lines.filter(Boolean).map((line): [string, string] => [line.slice(41), line.slice(0, 40)]);
  return { head: first.replace(/^ref: /, ''), refs: new Map(refs) };
}
