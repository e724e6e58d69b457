import {
  cursorIn,
  keysetList,
  pageInfo,
  resolvePaging,
  type CursorPosition,
  type KeysetList,
  type OffsetPaging,
  type Page,
  type PagingLimits,
} from '@plinth/database';

const LEGACY_LIMIT = 20;

interface ListQuery {
  first?: number;
  after?: string;
  offset?: number;
  limit?: number;
}

/** A list that can be read either way. */
export interface TwoStyleList<Row, Position extends CursorPosition> extends KeysetList<Row, Position> {
  readSlice(offset: number, limit: number): Promise<Row[]>;
  count(): Promise<number>;
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
export async function twoStylePage<Row, Position extends CursorPosition>(
  query: ListQuery,
  list: TwoStyleList<Row, Position>,
  limits?: PagingLimits,
): Promise<TwoStylePage<Row>> {
  const paging = resolvePaging(query);
  if (paging.mode === 'offset') return offsetPage(paging, list);
  const [page, total] = [await keysetList(query, list, limits), await list.count()];
  if (query.first !== undefined || query.after !== undefined) {
    return { ...page, legacyRows: undefined, pagination: { offset: 0, limit: paging.first, total } };
  }
  const legacyRows = page.items.slice(0, LEGACY_LIMIT);
  return { ...page, legacyRows, pagination: { offset: 0, limit: LEGACY_LIMIT, total } };
}

async function offsetPage<Row, Position extends CursorPosition>(
  { offset, limit }: OffsetPaging,
  list: TwoStyleList<Row, Position>,
): Promise<TwoStylePage<Row>> {
  const [rows, total] = [await list.readSlice(offset, limit), await list.count()];
  return {
    items: rows,
    pageInfo: pageInfo(rows.map(cursorIn(list)), offset + rows.length < total, offset > 0),
    legacyRows: rows,
    pagination: { offset, limit, total },
  };
}
