import { momentOf } from '@plinth/contract';
import { invalidRequest } from '@plinth/errors';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i;
const DAY_MS = 86_400_000;

/** Both ends belong to the period; undefined is open. */
export interface Period {
  start: Date | undefined;
  end: Date | undefined;
}

/**
 * Reads a period as clients write it. A bare date is a whole day in UTC.
 *
 * @throws AppError `request.invalid` (400) for what is not a moment of ISO 8601 and for a start after the end.
 */
export function parsePeriod(query: { start?: string; end?: string }): Period {
  const start = query.start === undefined ? undefined : parseMoment('start', query.start, 0);
  const end = query.end === undefined ? undefined : parseMoment('end', query.end, DAY_MS - 1);
  if (start && end && start > end) throw invalidRequest('/query/start', 'is after end');
  return { start, end };
}

function parseMoment(name: string, text: string, offsetInDayMs: number): Date {
  const isDate = DATE.test(text);
  const moment = momentOf(isDate ? `${text}T00:00:00Z` : text);
  if (!(isDate || MOMENT.test(text)) || !moment || !isDayOfCalendar(text.slice(0, 10))) {
    throw invalidRequest(
      `/query/${name}`,
      'takes a date (2026-03-01) or a date and time with offset (2026-03-01T09:30:00Z), within the years 1 to 9999',
    );
  }
  return isDate ? new Date(moment.getTime() + offsetInDayMs) : moment;
}

/** `Date.parse` takes 30 February for a day of March. */
const isDayOfCalendar = (date: string): boolean => new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) ?? false;
