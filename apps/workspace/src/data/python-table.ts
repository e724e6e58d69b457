import type { Column, Row } from '@plinth/queries';

/** The result of a Python program as a table. */
export interface PythonTable {
  columns: Column[];
  rows: Row[];
}

const MOST_COLUMNS = 1_000;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)/;

/**
 * A list of objects is rows, and an object is one row; anything else stands in a column `value`. A column that the program's
 * rows had keeps how it is called and shown, others are what their values are.
 */
export function tableOf(result: unknown, known: readonly Column[]): PythonTable {
  const rows = (Array.isArray(result) ? (result as unknown[]) : result === null ? [] : [result]).map(rowOf);
  const names = new Set<string>();
  for (const row of rows) {
    if (names.size >= MOST_COLUMNS) break;
    for (const name of Object.keys(row)) names.add(name);
  }
  const columns = [...names].slice(0, MOST_COLUMNS).map((name) => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null && value !== undefined);
    return known.find((column) => column.name === name) ?? { name, title: name, type: typeOf(values), format: null };
  });
  return { columns, rows };
}

const rowOf = (value: unknown): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Row) : { value };

function typeOf(values: readonly unknown[]): string {
  const are = (test: (value: unknown) => boolean): boolean => values.length > 0 && values.every(test);
  if (are((value) => typeof value === 'number')) return 'number';
  if (are((value) => typeof value === 'boolean')) return 'boolean';
  return are((value) => typeof value === 'string' && TIME.test(value)) ? 'time' : 'string';
}
