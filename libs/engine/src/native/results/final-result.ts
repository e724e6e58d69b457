import { pivotQuery } from './pivot-query';
import { resultData } from './result-data';
import { type NormalizedQuery, type QueryType, type ResultRequest, type Row } from './result-request';

/** What a reply says besides its rows. */
export interface ResultHead {
  query: NormalizedQuery;
  [property: string]: unknown;
}

/** What a reply of several queries says besides its results. */
export interface MultiResultHead {
  queryType: QueryType;
  results: readonly ResultHead[];
  slowQuery: boolean;
}

/**
 * The reply to one query, as bytes of JSON.
 *
 * @throws Error that names a member which the caller may not see.
 */
export async function getFinalQueryResult(
  request: ResultRequest,
  rows: readonly Row[],
  head: ResultHead,
): Promise<ArrayBufferLike> {
  return bytesOf(resultOf(request, rows, head));
}

/**
 * The reply to several queries that belong together, with the query by which their rows become one table.
 *
 * @throws Error that names a member which the caller may not see.
 */
export async function getFinalQueryResultMulti(
  requests: readonly ResultRequest[],
  rows: readonly (readonly Row[])[],
  { queryType, results, slowQuery }: MultiResultHead,
): Promise<ArrayBufferLike> {
  const queries = results.map(({ query }) => query);
  return bytesOf({
    queryType,
    results: results.map((head, part) => resultOf(nth(requests, part), nth(rows, part), head)),
    pivotQuery: pivotQuery(queryType, queries),
    slowQuery,
  });
}

/** What is not known is left out. */
function resultOf(request: ResultRequest, rows: readonly Row[], head: ResultHead): object {
  const known = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== null && value !== undefined));
  return { ...known, data: resultData(request, rows) };
}

/** A buffer of its own: the gateway sends it without copying it. */
const bytesOf = (reply: object): ArrayBufferLike => new TextEncoder().encode(JSON.stringify(reply)).buffer;

function nth<T>(parts: readonly T[], index: number): T {
  const part = parts[index];
  if (part === undefined) throw new Error(`Part ${index + 1} of the result is missing`);
  return part;
}
