const RELATIVE = /^([0-9]{1,4}) (day|week|month|quarter|year)s? (ago|from now)$/;
const NAMED: Readonly<Record<string, number>> = { yesterday: -1, today: 0, now: 0, tomorrow: 1 };
const DAYS = { day: 1, week: 7 };
const MONTHS = { month: 1, quarter: 3, year: 12 };

/** The day (`YYYY-MM-DD`) that words such as `yesterday` and `3 months ago` mean there and then; other texts stay as they are. */
export function dayOf(words: string, now: Date, timeZone: string): string {
  const said = words.trim().toLowerCase();
  const named = NAMED[said];
  if (named !== undefined) return text(plusDays(today(now, timeZone), named));
  const [, count, unit, direction] = RELATIVE.exec(said) ?? [];
  if (count === undefined || unit === undefined) return words;
  const amount = direction === 'ago' ? -Number(count) : Number(count);
  if (isKey(DAYS, unit)) return text(plusDays(today(now, timeZone), amount * DAYS[unit]));
  return isKey(MONTHS, unit) ? text(plusMonths(today(now, timeZone), amount * MONTHS[unit])) : words;
}

/** Midnight in UTC of the day that it is in the time zone. */
function today(now: Date, timeZone: string): Date {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  return new Date(`${day}T00:00:00Z`);
}

const plusDays = (date: Date, days: number): Date => new Date(date.getTime() + days * 86_400_000);

/** The same day of another month, or its last one. */
export function plusMonths(date: Date, months: number): Date {
  const moved = new Date(date);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + months);
  moved.setUTCDate(Math.min(date.getUTCDate(), daysIn(moved)));
  return moved;
}

export const daysIn = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

const text = (date: Date): string => date.toISOString().slice(0, 10);

const isKey = <Names extends object>(names: Names, key: string): key is Extract<keyof Names, string> => key in names;
