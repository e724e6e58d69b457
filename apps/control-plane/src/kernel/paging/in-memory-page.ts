import {
  decodeCursor,
  encodeCursor,
  toPage,
  type CursorPaging,
  type CursorPosition,
  type Page,
} from '@plinth/database';

/** How the rows of a list that is made in memory are told apart and ordered. */
export interface InMemoryList<Row> {
  name: string;
  filters: Readonly<Record<string, unknown>>;
  /** Place of a row in the list; rows stand in ascending order of it, and no two share one. */
  positionOf: (row: Row) => CursorPosition;
}

/** The rows after the cursor. A cursor keeps its place when its row has left the list. */
export function pageInMemory<Row>(
  rows: readonly Row[],
  { name, filters, positionOf }: InMemoryList<Row>,
  { first, after }: Pick<CursorPaging, 'first' | 'after'>,
): Page<Row> {
  const position = after === undefined ? undefined : decodeCursor(name, filters, after);
  const rest = position ? rows.filter((row) => compare(positionOf(row), position) > 0) : rows;
  return toPage(rest, first, { cursorOf: (row) => encodeCursor(name, filters, positionOf(row)), after });
}

/** Order of two positions of one list, part by part. */
function compare(left: CursorPosition, right: CursorPosition): number {
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? null;
    if (part === other) continue;
    if (part === null || other === null) return part === null ? -1 : 1;
    return part < other ? -1 : 1;
  }
  return 0;
}
