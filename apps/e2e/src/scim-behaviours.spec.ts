import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const repository = resolve(__dirname, '../../..');
const read = (...path: string[]): string => readFileSync(join(repository, ...path), 'utf8');
const numbersIn = (list: string): number[] => list.split(', ').map(Number);

/** Files with tests by their names; suites by what stands before their ending. */
const testFiles = new Map(
  readdirSync(join(repository, 'apps'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(e2e|spec)\.ts$/.test(path) && !path.includes('node_modules'))
    .map((path) => [basename(path).replace(/\.e2e\.ts$/, ''), path]),
);

/** The numbers that titles of a file begin with. */
function titledIn(name: string): Set<number> {
  const found = (text: string, title: RegExp): number[] =>
    [...text.matchAll(title)].flatMap(([, list = '']) => numbersIn(list));
  if (name === 'bench') return new Set(found(read('tools/bench/scim.mjs'), /\brow\((\d+),/g));
  const titles = found(read('apps', testFiles.get(name) ?? ''), /(?:\bit|\))\(\s*['"`]((?:\d+, )*\d+):? /g);
  return new Set(name === 'scim-replays' ? titlesOfReplays() : titles);
}

const titlesOfReplays = (): number[] =>
  readdirSync(join(__dirname, 'scim-replays')).flatMap((file) => {
    const { chapters } = JSON.parse(read('apps/e2e/src/scim-replays', file)) as { chapters: { title: string }[] };
    return chapters.flatMap(({ title }) => numbersIn(/^(?:\d+, )*\d+/.exec(title)?.[0] ?? ''));
  });

const rows = [...read('docs/scim.md').matchAll(/^\| (\d+) +\| .*? +\| (.*?) +\|$/gm)].map(([, line, proof = '']) => ({
  line: Number(line),
  names: [...proof.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  isDecided: proof.includes('adr/'),
}));

describe('the behaviours of SCIM that are documented', () => {
  it('are numbered without a gap, each with a test or the decision against it', () => {
    expect(rows.length).toBeGreaterThanOrEqual(116);
    expect(rows.map(({ line }) => line)).toEqual(rows.map((_row, at) => at + 1));
    expect(rows.filter(({ names, isDecided }) => names.length === 0 && !isDecided)).toEqual([]);
  });

  const names = [...new Set(rows.flatMap((row) => row.names))];

  it.each(names)('have the titles that they are said to have in %s', (name) => {
    const claimed = rows.filter((row) => row.names.includes(name)).map(({ line }) => line);
    const titled = titledIn(name);
    expect(claimed.filter((line) => !titled.has(line))).toEqual([]);
  });
});
