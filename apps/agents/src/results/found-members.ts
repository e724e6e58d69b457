import type { MetaCube, MetaMember } from '@plinth/queries';
import { fitting } from './fitting';

export interface FoundMember {
  name: string;
  title: string;
  description: string;
  type: string;
  aggType?: string;
}

export interface FoundCube {
  name: string;
  type: string;
  title: string;
  members: FoundMember[];
}

const MOST_CUBES = 40;
const MOST_MEMBERS = 200;
const MOST_DESCRIPTION = 500;
/** Of one view or cube, so that others have room beside it. */
const MOST_CHARACTERS_EACH = 50_000;
/** Each is looked for in the whole data model. */
const MOST_WORDS = 20;
const MOST_SEARCH = 2_000;

/** Views and cubes of a data model that fit a search, the best first; all of them for an empty one. As many as an answer holds. */
export function findCubes(
  cubes: readonly MetaCube[],
  { search, views }: { search: string; views: readonly string[] | null },
): FoundCube[] {
  const words = wordsOf(search);
  const named = views === null ? null : new Set(views);
  const ranked = cubes
    .filter(({ name, isVisible }) => isVisible !== false && (named?.has(name) ?? true))
    .map((cube) => ({ cube, rank: rankOf(cube, words) }))
    .filter(({ rank }) => words.length === 0 || rank > 0);
  // Nothing fits: everything is more use than nothing.
  if (ranked.length === 0 && words.length > 0) return findCubes(cubes, { search: '', views });
  const best = ranked.sort((left, right) => right.rank - left.rank).slice(0, MOST_CUBES);
  return fitting(best.map(({ cube }) => found(cube)));
}

const wordsOf = (search: string): string[] => {
  const words = search
    .slice(0, MOST_SEARCH)
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu);
  return [...new Set(words)].slice(0, MOST_WORDS);
};

function rankOf(cube: MetaCube, words: readonly string[]): number {
  const members = membersOf(cube).map(({ name, title, description }) => `${name} ${title} ${description}`);
  const text = `${cube.name} ${cube.title ?? ''} ${cube.description ?? ''} ${members.join(' ')}`.toLowerCase();
  return (
    words.filter((word) => text.includes(word)).length + (cube.type === 'view' ? 0.5 : 0) * Math.sign(words.length)
  );
}

const membersOf = ({ measures = [], dimensions = [], segments = [] }: MetaCube): MetaMember[] =>
  [...measures, ...dimensions, ...segments].filter(({ isVisible }) => isVisible !== false);

const found = (cube: MetaCube): FoundCube => ({
  name: cube.name,
  type: cube.type ?? 'cube',
  title: cube.title ?? cube.name,
  members: fitting(membersOf(cube).slice(0, MOST_MEMBERS).map(foundMember), MOST_CHARACTERS_EACH),
});

const foundMember = ({ name, title, description, type, aggType }: MetaMember): FoundMember => ({
  name,
  title: title ?? name,
  description: (description ?? '').slice(0, MOST_DESCRIPTION),
  type: type ?? 'boolean',
  ...(aggType !== undefined && { aggType }),
});
