export const DEFAULT_ROWS = 100;

/** Of all rows of an answer together: clients pay for each character, and a message of the bus is bounded. */
const MOST_CHARACTERS = 150_000;
const LONGEST_CELL = 1_000;

/** The first rows, with the number of all. */
export interface CutRows<Row> {
  rows: Row[];
  totalRows: number;
  isCut: boolean;
}

export function cutRows<Row extends object>(
  all: readonly Row[],
  limit = DEFAULT_ROWS,
  mostCharacters = MOST_CHARACTERS,
): CutRows<Row> {
  const rows: Row[] = [];
  let characters = 0;
  for (const row of all.slice(0, limit)) {
    const short = withShortCells(row);
    characters += JSON.stringify(short).length;
    if (characters > mostCharacters) break;
    rows.push(short);
  }
  return { rows, totalRows: all.length, isCut: rows.length < all.length };
}

const withShortCells = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shortCell(value)])) as Row;

const shortCell = (value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_CELL ? `${value.slice(0, LONGEST_CELL)}…` : value;
