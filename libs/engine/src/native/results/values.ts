import { type ResultColumn } from './columns';
import { type Row } from './result-request';

const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?$/;
/** `YYYY-MM-DDTHH:mm:ss.SSS` is as clients get it. */
const TIME_LENGTH = 23;

/**
 * The value of a column as clients get it. Times are `YYYY-MM-DDTHH:mm:ss.SSS`, in the zone in which the source gave them;
 * numbers that the driver gives as text stay text.
 */
export function valueIn(column: ResultColumn, row: Row): unknown {
  if ('constant' in column) return column.constant;
  const value = row[column.alias];
  if (typeof value === 'string') return column.isTime ? timeText(value) : value;
  if (typeof value === 'bigint') return value.toString();
  if (column.isTime && value instanceof Date) return timeText(value.toJSON());
  return value ?? null;
}

/** A time as clients get it; any other text as it is. */
function timeText(text: string): string {
  if (text.length === TIME_LENGTH && text[10] === 'T') return text;
  const [, day, time, fraction = ''] = TIME.exec(text) ?? [];
  return time === undefined ? text : `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}
