import { escapeLiteral } from 'pg';

/** A value for a statement that takes no parameters. */
export type Literal = string | number | Date | null;

/** The value as SQL writes it. PostgreSQL stores no null character, which would also end the message that it is in. */
export function literal(value: Literal): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return String(value);
  return escapeLiteral(value instanceof Date ? value.toISOString() : value.replaceAll('\0', '\uFFFD'));
}
