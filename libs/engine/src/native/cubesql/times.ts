import { unsupported } from './refusal';

/**
 * A time as clocks in the statement's zone show it, in milliseconds: `2024-01-01` is the same number in every zone. The
 * engine reads times of a query in the query's zone.
 */
export type ClockTime = number;

const WITH_ZONE = /(?:Z|[+-]\d\d(?::?\d\d)?)$/;
const UNIT_MS: Readonly<Record<string, number>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
};
const UNIT_MONTHS: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 };

/** As the engine takes it: `YYYY-MM-DDTHH:mm:ss.SSS`. */
export const clockText = (time: ClockTime): string => new Date(time).toISOString().slice(0, -1);

/** @throws RangeError when there is no such zone. */
export function clockTimeOf(instant: Date, timezone: string): ClockTime {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(instant);
  return Date.parse(`${text.replace(' ', 'T')}Z`) + (instant.getTime() % 1000);
}

/** @throws SqlRefusal when the text is no time. */
export function parseTime(text: string, timezone: string): ClockTime {
  const iso = text.trim().replace(' ', 'T');
  const hasZone = iso.length > 10 && WITH_ZONE.test(iso.slice(10));
  const time = Date.parse(hasZone || iso.length <= 10 ? iso : `${iso}Z`);
  if (Number.isNaN(time)) return unsupported(`the time '${text}'`);
  return hasZone ? clockTimeOf(new Date(time), timezone) : time;
}

/**
 * A time plus an interval such as `1 month 2 days`; minus it, when the sign is -1.
 *
 * @throws SqlRefusal when the text is no interval.
 */
export function shiftTime(time: ClockTime, interval: string, sign: 1 | -1): ClockTime {
  const parts = [
    ...interval.toLowerCase().matchAll(/([+-]?\d+)\s*(year|quarter|month|week|day|hour|minute|second)s?/g),
  ];
  if (parts.length === 0) unsupported(`the interval '${interval}'`);
  return parts.reduce((at, [, count, unit = '']) => shiftBy(at, sign * Number(count), unit), time);
}

function shiftBy(time: ClockTime, count: number, unit: string): ClockTime {
  const months = UNIT_MONTHS[unit];
  if (months === undefined) return time + count * (UNIT_MS[unit] ?? 0);
  const date = new Date(time);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + count * months);
  // The 31st of a shorter month is its last day, as in PostgreSQL.
  date.setUTCDate(Math.min(day, daysInMonth(date)));
  return date.getTime();
}

const daysInMonth = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

/** @throws SqlRefusal when there is no such unit. */
export function truncateTime(time: ClockTime, unit: string): ClockTime {
  const length = unit === 'week' ? undefined : UNIT_MS[unit];
  if (length !== undefined) return Math.floor(time / length) * length;
  const date = new Date(Math.floor(time / 86_400_000) * 86_400_000);
  if (unit === 'week') return date.getTime() - ((date.getUTCDay() + 6) % 7) * 86_400_000;
  const months = UNIT_MONTHS[unit];
  if (months === undefined) return unsupported(`DATE_TRUNC('${unit}', ...) of a constant`);
  return Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / months) * months, 1);
}
