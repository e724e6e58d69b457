import { pageInfo, resolvePaging, type CursorPaging, type Page } from '@plinth/database';

const LEGACY_LIMIT = 20;

interface ListQuery {
  first?: number;
  after?: string;
  offset?: number;
  limit?: number;
}

/** Reads the rows of a list either way. */
export interface ListSource<Row> {
  byCursor(paging: CursorPaging): Promise<Page<Row>>;
  byOffset(offset: number, limit: number): Promise<Row[]>;
  count(): Promise<number>;
  cursorOf(row: Row): string;
}

/** One page as both generations of clients expect it. */
export interface TwoStylePage<Row> extends Page<Row> {
  /** Rows of the legacy envelope; undefined when the client pages by cursor and knows no envelope. */
  legacyRows: Row[] | undefined;
  pagination: { offset: number; limit: number; total: number };
}

/**
 * Pages a list by cursor or by offset, as the client asks. A client that asks for neither gets the first page of both
 * styles.
 *
 * @throws AppError `request.invalid` (400) when both styles are asked for at once.
 */
export async function twoStylePage<Row>(query: ListQuery, source: ListSource<Row>): Promise<TwoStylePage<Row>> {
  const paging = resolvePaging(query);
  if (paging.mode === 'offset') return offsetPage(paging.offset, paging.limit, source);
  const [page, total] = [await source.byCursor(paging), await source.count()];
  if (query.first !== undefined || query.after !== undefined) {
    return { ...page, legacyRows: undefined, pagination: { offset: 0, limit: paging.first, total } };
  }
  const legacyRows = page.items.slice(0, LEGACY_LIMIT);
  return { ...page, legacyRows, pagination: { offset: 0, limit: LEGACY_LIMIT, total } };
}

async function offsetPage<Row>(offset: number, limit: number, source: ListSource<Row>): Promise<TwoStylePage<Row>> {
  const [rows, total] = [await source.byOffset(offset, limit), await source.count()];
  return {
    items: rows,
    pageInfo: pageInfo(rows.map(source.cursorOf), offset + rows.length < total, offset > 0),
    legacyRows: rows,
    pagination: { offset, limit, total },
  };
}
