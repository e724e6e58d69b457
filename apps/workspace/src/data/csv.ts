import type { Row } from '@plinth/queries';
import type { DataColumn } from './formatted-columns';

/** What a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;
const NUMBER = /^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/i;

/** A line of RFC 4180 with the headings. */
export const csvHeader = (columns: readonly DataColumn[]): string => line(columns.map(({ title }) => guarded(title)));

/** A line of RFC 4180 with the values; numbers are rounded as the column says. */
export const csvRow = (columns: readonly DataColumn[], row: Row): string =>
  line(columns.map((column) => cell(column, row[column.name])));

function cell({ decimalPlaces }: DataColumn, value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value as string | number | boolean);
  if (!NUMBER.test(text)) return guarded(text);
  return decimalPlaces === null ? text : Number(text).toFixed(Math.min(decimalPlaces, 20));
}

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;

const quoted = (text: string): string => (QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
