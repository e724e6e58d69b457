import { createHash } from 'node:crypto';
import { AppError, invalidRequest } from '@plinth/errors';

/** Values of the ordering columns at one row; the next page begins after it. */
export type CursorPosition = readonly (string | number | null)[];

/** What a list is restricted to; a cursor is good for the same filters only. */
export type Filters = object;

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

const DIGEST_BYTES = 9;

/** Ties a position to its list and filters, and shows a damaged cursor. */
const digestOf = (list: string, filters: Filters, position: string): Buffer => {
  const sorted = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([list, sorted, position]))
    .digest()
    .subarray(0, DIGEST_BYTES);
};

/** An opaque cursor (base64url) for a row of `list` as restricted by `filters`. */
export function encodeCursor(list: string, filters: Filters, position: CursorPosition): string {
  const text = JSON.stringify(position);
  return Buffer.concat([digestOf(list, filters, text), Buffer.from(text)]).toString('base64url');
}

/** @throws AppError `request.cursor_invalid` (400) for a broken cursor and one of another list or other filters. */
export function decodeCursor<Position extends CursorPosition = CursorPosition>(
  list: string,
  filters: Filters,
  cursor: string,
): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(DIGEST_BYTES).toString('utf8');
  if (!digestOf(list, filters, text).equals(bytes.subarray(0, DIGEST_BYTES))) {
    throw new AppError('request.cursor_invalid', 'The cursor does not belong to this list');
  }
  return JSON.parse(text) as Position;
}

/**
 * A page out of rows that were read with one more than `first`: the surplus row only tells that there is a next page.
 */
export function toPage<Row>(
  rows: readonly Row[],
  first: number,
  { cursorOf, after }: { cursorOf: (row: Row) => string; after?: string | undefined },
): Page<Row> {
  const items = rows.slice(0, first);
  const ends = [...items.slice(0, 1), ...items.slice(-1)];
  return { items, pageInfo: pageInfo(ends.map(cursorOf), rows.length > first, after !== undefined) };
}

/** Page info of rows by their cursors, of which the first and the last count. */
export function pageInfo(cursors: readonly string[], hasNextPage: boolean, hasPreviousPage: boolean): PageInfo {
  return { startCursor: cursors.at(0) ?? null, endCursor: cursors.at(-1) ?? null, hasNextPage, hasPreviousPage };
}

export interface PagingParameters {
  first?: number | undefined;
  after?: string | undefined;
  offset?: number | undefined;
  limit?: number | undefined;
}

export interface CursorPaging {
  mode: 'cursor';
  first: number;
  after: string | undefined;
}

export interface OffsetPaging {
  mode: 'offset';
  offset: number;
  limit: number;
}

export type Paging = CursorPaging | OffsetPaging;

export interface PagingLimits {
  /** Rows of a page when the client does not say; `maxFirst` does not cap it. */
  defaultFirst?: number;
  maxFirst?: number;
}

const DEFAULT_LIMIT = 20;

/**
 * Which part of a list a client asks for. `first` and `limit` above the cap are capped; without any parameter the
 * list is paged by cursor.
 *
 * @throws AppError `request.invalid` (400) for cursor and offset parameters together, and for values out of range.
 */
export function resolvePaging(
  { first, after, offset, limit }: PagingParameters,
  { defaultFirst = 100, maxFirst = 500 }: PagingLimits = {},
): Paging {
  const byOffset = offset !== undefined || limit !== undefined;
  if (byOffset && (first !== undefined || after !== undefined)) {
    throw invalidRequest('/query', 'takes first and after, or offset and limit, not both');
  }
  if (byOffset) {
    requireAtLeast('/query/offset', offset, 0);
    requireAtLeast('/query/limit', limit, 1);
    return { mode: 'offset', offset: offset ?? 0, limit: Math.min(limit ?? DEFAULT_LIMIT, maxFirst) };
  }
  return resolveCursorPaging({ first, after }, { defaultFirst, maxFirst });
}

/**
 * Which part of a list that is paged by cursor alone a client asks for.
 *
 * @throws AppError `request.invalid` (400) for a page of less than one row.
 */
export function resolveCursorPaging(
  { first, after }: Pick<PagingParameters, 'first' | 'after'>,
  { defaultFirst = 100, maxFirst = 500 }: PagingLimits = {},
): CursorPaging {
  requireAtLeast('/query/first', first, 1);
  return { mode: 'cursor', first: first === undefined ? defaultFirst : Math.min(first, maxFirst), after };
}

function requireAtLeast(path: string, value: number | undefined, least: number): void {
  if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) {
    throw invalidRequest(path, `must be an integer of at least ${least}`);
  }
}
