import type { MetaCube, MetaMember } from '@plinth/queries';

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

/** Views and cubes of a data model that fit a search, the best first; all of them for an empty one. */
export function findCubes(
  cubes: readonly MetaCube[],
  { search, views }: { search: string; views: readonly string[] | null },
): FoundCube[] {
  const words = search.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const named = views === null ? null : new Set(views);
  const ranked = cubes
    .filter(({ name, isVisible }) => isVisible !== false && (named?.has(name) ?? true))
    .map((cube) => ({ cube, rank: rankOf(cube, words) }))
    .filter(({ rank }) => words.length === 0 || rank > 0);
  // Nothing fits: everything is more use than nothing.
  if (ranked.length === 0 && words.length > 0) return findCubes(cubes, { search: '', views });
  return ranked
    .sort((left, right) => right.rank - left.rank)
    .slice(0, MOST_CUBES)
    .map(({ cube }) => found(cube));
}

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
  members: membersOf(cube).slice(0, MOST_MEMBERS).map(foundMember),
});

const foundMember = ({ name, title, description, type, aggType }: MetaMember): FoundMember => ({
  name,
  title: title ?? name,
  description: (description ?? '').slice(0, MOST_DESCRIPTION),
  type: type ?? 'boolean',
  ...(aggType !== undefined && { aggType }),
});
