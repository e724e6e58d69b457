import { daysIn, plusMonths } from './relative-day';

const MILLISECONDS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** Whether times can be moved by the unit, which may be a plural. */
export const isStep = (unit: string): boolean => single(unit) in MILLISECONDS || single(unit) in MONTHS;

/** A time of the engine (`2026-03-01T00:00:00.000`, without a zone) that many units later; in a shorter month its last day. */
export function moved(time: string, amount: number, unit: string): string {
  const date = new Date(`${time}Z`);
  const milliseconds = MILLISECONDS[single(unit)];
  const later =
    milliseconds === undefined
      ? plusMonths(date, amount * (MONTHS[single(unit)] ?? 0))
      : new Date(date.getTime() + amount * milliseconds);
  return later.toISOString().slice(0, -1);
}

/** The range that many units later: whole months stay whole. */
export function movedRange([start, end]: readonly [string, string], amount: number, unit: string): [string, string] {
  const last = new Date(`${end}Z`);
  const isWhole = single(unit) in MONTHS && last.getUTCDate() === daysIn(last);
  const to = moved(end, amount, unit);
  if (!isWhole) return [moved(start, amount, unit), to];
  const day = new Date(`${to}Z`);
  day.setUTCDate(daysIn(day));
  return [moved(start, amount, unit), day.toISOString().slice(0, -1)];
}

const single = (unit: string): string => unit.toLowerCase().replace(/s$/, '');
