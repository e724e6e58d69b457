import { isNumeric } from '../../drawing/format-value';
import type { Chart } from '../../scene';

export type ChartRow = Record<string, unknown>;

const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Rows as charts expect them: numbers that engines send as texts are numbers, days begin in the reader's time zone, and
 * members of the data model (`orders.count`) are found by both `orders.count` and `orders\.count`.
 */
export function chartRows({ columns, rows }: Pick<Chart, 'columns' | 'rows'>): ChartRow[] {
  const readers = columns.map((column) => ({
    path: column.name.split('.'),
    name: column.name,
    read: readerOf(column),
  }));
  return rows.map((row) => {
    const result: ChartRow = {};
    for (const { name, read } of readers) define(result, name, read(Object.hasOwn(row, name) ? row[name] : null));
    for (const { path, name } of readers) if (path.length > 1) nest(result, path, result[name]);
    return result;
  });
}

function readerOf(column: Chart['columns'][number]): (value: unknown) => unknown {
  if (isNumeric(column))
    return (value) => (typeof value === 'string' && DECIMAL.test(value) ? Number(value) : (value ?? null));
  if (column.type === 'time')
    return (value) => (typeof value === 'string' && DAY_ALONE.test(value) ? `${value}T00:00:00` : (value ?? null));
  return (value) => value ?? null;
}

/** Leaves alone what has a value already. */
function nest(row: ChartRow, path: readonly string[], value: unknown): void {
  let place = row;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(place, part)) define(place, part, {});
    const next = place[part];
    if (typeof next !== 'object' || next === null) return;
    place = next as ChartRow;
  }
  const last = path.at(-1) ?? '';
  if (!Object.hasOwn(place, last)) define(place, last, value);
}

/** Also for names such as `__proto__`. */
function define(row: ChartRow, name: string, value: unknown): void {
  Object.defineProperty(row, name, { value, enumerable: true, writable: true, configurable: true });
}
