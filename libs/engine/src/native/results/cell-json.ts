const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?: ?(?:Z|UTC|[+-]\d\d(?::?\d\d)?))?$/;
/** `YYYY-MM-DDTHH:mm:ss.SSS` is as clients get it. */
const TIME_LENGTH = 23;

/** A text as JSON. Most need no escape, and looking is cheaper than `JSON.stringify`. */
export const textJson = (text: string): string => (NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`);

/**
 * A value of a row as JSON. Times leave as `YYYY-MM-DDTHH:mm:ss.SSS`, in the zone in which the source gave them; numbers
 * that the driver gives as text stay text; what JSON does not know is null.
 */
export function cellJson(value: unknown, isTime: boolean): string {
  switch (typeof value) {
    case 'string':
      return textJson(isTime ? timeText(value) : value);
    case 'number':
      return Number.isFinite(value) ? String(value) : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return `"${value}"`;
    case 'object':
      return value === null ? 'null' : objectJson(value, isTime);
    default:
      return 'null';
  }
}

function objectJson(value: object, isTime: boolean): string {
  if (isTime && value instanceof Date)
    return Number.isNaN(value.getTime()) ? 'null' : `"${timeText(value.toISOString())}"`;
  return JSON.stringify(value) ?? 'null';
}

/** A time as clients get it; any other text as it is. */
export function timeText(text: string): string {
  if (text.length === TIME_LENGTH && text[10] === 'T') return text;
  const [, day, time, fraction = ''] = TIME.exec(text) ?? [];
  return time === undefined ? text : `${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}
