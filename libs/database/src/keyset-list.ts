import {
  decodeCursor,
  encodeCursor,
  resolveCursorPaging,
  toPage,
  type CursorPosition,
  type Filters,
  type Page,
  type PagingLimits,
  type PagingParameters,
} from './paging';

/** Tells the rows of a list apart. */
interface Keyset<Row, Position extends CursorPosition> {
  /** Ties cursors to the list. */
  name: string;
  filters: Filters;
  /** Values of the ordering columns at a row; no two rows share them. */
  positionOf: (row: Row) => Position;
}

/** A list that is paged by the columns that order it. */
export interface KeysetList<Row, Position extends CursorPosition> extends Keyset<Row, Position> {
  /** At most `limit` rows in the order of the list: those after a position, which is empty for the list's start. */
  read: (limit: number, after: Partial<Position>) => Promise<readonly Row[]>;
  /** How many of the rows, from the first on, a page has room for, where that is not told by their number; at least one. */
  roomFor?: (rows: readonly Row[]) => number;
}

/** Has the compiler infer how many values a position has, and of which types. */
type Tuple = CursorPosition | readonly [];

/** Position of a row in a list that is ordered by ids alone. */
export const byId = ({ id }: { id: number }): [id: number] => [id];

/**
 * The page of a list that a client asks for by `first` and `after`.
 *
 * @throws AppError `request.invalid` (400) for a page of less than one row, `request.cursor_invalid` (400) for a
 * broken cursor and one of another list or other filters.
 */
export async function keysetList<Row, Position extends Tuple>(
  query: Pick<PagingParameters, 'first' | 'after'>,
  list: KeysetList<Row, Position>,
  limits?: PagingLimits,
): Promise<Page<Row>> {
  const { first, after } = resolveCursorPaging(query, limits);
  const position = after === undefined ? [] : decodeCursor<Position>(list.name, list.filters, after);
  const rows = await list.read(first + 1, position as Partial<Position>);
  return toPage(rows, Math.min(first, list.roomFor?.(rows) ?? first), { cursorOf: cursorIn(list), after });
}

/** Gives the cursor of a row of the list. */
export const cursorIn =
  <Row, Position extends CursorPosition>({ name, filters, positionOf }: Keyset<Row, Position>) =>
  (row: Row): string =>
    encodeCursor(name, filters, positionOf(row));

/**
 * A list of rows in memory, which stand in ascending order of their positions. A cursor keeps its place when its row
 * has left the list.
 */
export const inMemoryList = <Row, Position extends Tuple>(
  rows: readonly Row[],
  keyset: Keyset<Row, Position>,
): KeysetList<Row, Position> => ({
  ...keyset,
  read: async (limit, after) => {
    const rest = after.length === 0 ? rows : rows.filter((row) => compare(keyset.positionOf(row), after) > 0);
    return rest.slice(0, limit);
  },
});

/** Order of two positions of one list, part by part. */
function compare(left: CursorPosition, right: Partial<CursorPosition>): number {
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? null;
    if (part === other) continue;
    if (part === null || other === null) return part === null ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return 0;
}
