import { dataJson } from './data-json';
import { pivotQuery } from './pivot-query';
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
): Promise<Buffer> {
  return Buffer.from(resultJson(request, rows, head));
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
): Promise<Buffer> {
  const parts = requests.map((request, index) => {
    const head = results[index];
    const rowsOfPart = rows[index];
    if (head === undefined || rowsOfPart === undefined) throw new Error('A part of the result is missing');
    return resultJson(request, rowsOfPart, head);
  });
  const pivot = pivotQuery(
    queryType,
    results.map(({ query }) => query),
  );
  const tail = JSON.stringify({ pivotQuery: pivot, slowQuery }).slice(1);
  return Buffer.from(`{"queryType":${JSON.stringify(queryType)},"results":[${parts.join(',')}],${tail}`);
}

/** What is not known is left out. */
function resultJson(request: ResultRequest, rows: readonly Row[], head: ResultHead): string {
  const present = Object.fromEntries(Object.entries(head).filter(([, value]) => value !== null && value !== undefined));
  return `${JSON.stringify(present).slice(0, -1)},"data":${dataJson(request, rows)}}`;
}
