const NUMBER = /^-?\d+(?:\.\d+)?$/;

/**
 * A value in a form in which that of the engine and that of PostgreSQL are the same: numbers with four decimals, times
 * without a zone.
 */
export function comparable(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString().slice(0, -1);
  const text = String(value);
  return NUMBER.test(text) ? Number(text).toFixed(4) : text;
}

export const comparableRows = (rows: readonly (readonly unknown[])[]): (string | null)[][] =>
  rows.map((row) => row.map(comparable));
