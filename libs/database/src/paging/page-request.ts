import { invalidRequest } from '@plinth/errors';

/** Paging parameters as clients send them; both styles, never together. */
export interface PagingQuery {
  first?: number | undefined;
  after?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

/** Which page is wanted. */
export type PageRequest =
  { style: 'offset'; offset: number; limit: number } | { style: 'cursor'; first: number; after: string | undefined };

export interface PagingLimits {
  defaultFirst: number;
  maximum: number;
  /** Style of a request without any paging parameter. */
  defaultStyle: PageRequest['style'];
}

const usual: PagingLimits = { defaultFirst: 100, maximum: 500, defaultStyle: 'cursor' };
const defaultLimit = 20;

/**
 * Decides on the page: `offset`/`limit` default to 0 and 20, `first` to 100; more than 500 is capped.
 *
 * @throws AppError `request.invalid` (400) when both styles are mixed, or for a size below one.
 */
export function pageRequest(query: PagingQuery, limits: Partial<PagingLimits> = {}): PageRequest {
  const { defaultFirst, maximum, defaultStyle } = { ...usual, ...limits };
  const { first, after, offset = 0, limit = defaultLimit } = query;
  const byCursor = isGiven(first, after);
  const byOffset = isGiven(query.offset, query.limit);
  if (byCursor && byOffset) throw invalidRequest('/query', 'mixes offset and limit with first and after');
  if (first !== undefined && first < 1) throw invalidRequest('/query/first', 'must be at least 1');
  const style = byOffset ? 'offset' : byCursor ? 'cursor' : defaultStyle;
  return style === 'offset'
    ? { style, offset, limit: Math.min(limit, maximum) }
    : { style, first: Math.min(first ?? defaultFirst, maximum), after };
}

const isGiven = (...values: unknown[]): boolean => values.some((value) => value !== undefined);

export interface PageInfo {
  startCursor: string | null;
  endCursor: string | null;
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

export interface Page<Row> {
  items: Row[];
  pageInfo: PageInfo;
}

/** A page from rows that were read with one more than it holds. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
  cursorOf: (row: Row) => string,
  hasPreviousPage: boolean,
): Page<Row> {
  const items = rows.slice(0, size);
  const [first, last] = [items[0], items.at(-1)];
  return {
    items,
    pageInfo: {
      startCursor: first === undefined ? null : cursorOf(first),
      endCursor: last === undefined ? null : cursorOf(last),
      hasNextPage: rows.length > size,
      hasPreviousPage,
    },
  };
}
