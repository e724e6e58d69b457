const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The moment that a text of ISO 8601 names, in any form that `Date.parse` reads; undefined for none, and outside the
 * years 1 to 9999 in UTC: neither the reply nor the database could give it back as it came.
 */
export function momentOf(text: string): Date | undefined {
  const time = Date.parse(text);
  return time >= FIRST && time <= LAST ? new Date(time) : undefined;
}
