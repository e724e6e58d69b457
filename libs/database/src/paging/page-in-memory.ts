import { decodeCursor, encodeCursor, type Position } from './cursor';
import { pageOf, type Page, type PageRequest } from './page-request';

/** Pages a list that is short by nature and already in memory, in a stable order with a unique key. */
export function pageInMemory<Row>(
  list: string,
  filters: unknown,
  rows: readonly Row[],
  request: PageRequest,
  keyOf: (row: Row) => string,
): Page<Row> {
  const indexOf = new Map(rows.map((row, index) => [row, index]));
  const cursorOf = (row: Row): string => encodeCursor(list, filters, [keyOf(row), indexOf.get(row) ?? 0]);
  if (request.style === 'offset') {
    const rest = rows.slice(request.offset, request.offset + request.limit + 1);
    return pageOf(rest, request.limit, cursorOf, request.offset > 0);
  }
  const start = startAfter(rows, decodeCursor(list, filters, request.after, 2), keyOf);
  return pageOf(rows.slice(start, start + request.first + 1), request.first, cursorOf, start > 0);
}

/** Behind the row of the cursor, or where that row was when it has gone since. */
function startAfter<Row>(rows: readonly Row[], position: Position | undefined, keyOf: (row: Row) => string): number {
  if (!position) return 0;
  const [key, index] = position;
  const found = rows.findIndex((row) => keyOf(row) === key);
  return found >= 0 ? found + 1 : Number(index);
}
