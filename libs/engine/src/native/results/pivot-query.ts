import { type MemberReference, type NormalizedQuery, type QueryType } from './result-request';

/**
 * The query by which clients make one table of several results.
 *
 * @throws Error when there is no query.
 */
export function pivotQuery(queryType: QueryType, queries: readonly NormalizedQuery[]): NormalizedQuery {
  const [first] = queries;
  if (first === undefined) throw new Error('Queries list cannot be empty');
  if (queryType === 'compareDateRangeQuery') {
    return { ...first, dimensions: ['compareDateRange', ...(first.dimensions ?? [])], queryType };
  }
  if (queryType === 'blendingQuery') return { ...first, ...blended(queries), queryType };
  return { ...first, queryType };
}

function blended(queries: readonly NormalizedQuery[]): Partial<NormalizedQuery> {
  const granularity = queries.map(({ timeDimensions }) => timeDimensions?.[0]?.granularity).find(Boolean);
  return {
    measures: union(queries.map(({ measures }) => measures)),
    dimensions: union(queries.map(({ dimensions }) => dimensions)),
    ...(granularity === undefined ? {} : { timeDimensions: [{ dimension: 'time', granularity }] }),
  };
}

const union = (lists: readonly (readonly MemberReference[] | undefined)[]): MemberReference[] => [
  ...new Set(lists.flatMap((list) => list ?? [])),
];
