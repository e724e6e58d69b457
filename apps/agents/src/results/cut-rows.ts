import { fitting, MOST_CHARACTERS } from './fitting';

const DEFAULT_ROWS = 100;

const LONGEST_CELL = 1_000;

/** The first rows, with the number of all. */
export interface CutRows<Row> {
  rows: Row[];
  totalRows: number;
  isCut: boolean;
}

/** @param all rows by names, or as lists of values. */
export function cutRows<Row extends object>(
  all: readonly Row[],
  limit = DEFAULT_ROWS,
  mostCharacters = MOST_CHARACTERS,
): CutRows<Row> {
  const rows = fitting(all.slice(0, limit).map(withShortCells), mostCharacters);
  return { rows, totalRows: all.length, isCut: rows.length < all.length };
}

const withShortCells = <Row extends object>(row: Row): Row =>
  (Array.isArray(row)
    ? row.map(shortCell)
    : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shortCell(value)]))) as Row;

const shortCell = (value: unknown): unknown =>
  typeof value === 'string' && value.length > LONGEST_CELL ? `${value.slice(0, LONGEST_CELL)}…` : value;
