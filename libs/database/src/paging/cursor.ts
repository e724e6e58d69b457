import { createHash } from 'node:crypto';
import { AppError } from '@plinth/errors';

/** Position after which a page starts: the sort values of the last row before it. */
export type Position = readonly (string | number)[];

const seal = (list: string, filters: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([list, filters]))
    .digest('base64url')
    .slice(0, 12);

/** An opaque cursor that fits this list with these filters alone. */
export const encodeCursor = (list: string, filters: unknown, position: Position): string =>
  Buffer.from(JSON.stringify([seal(list, filters), ...position])).toString('base64url');

/**
 * The position of a cursor; undefined without one.
 *
 * @throws AppError `request.cursor_invalid` (400) for a cursor that is broken or belongs to another list or filter.
 */
export function decodeCursor(
  list: string,
  filters: unknown,
  cursor: string | undefined,
  length: number,
): Position | undefined {
  if (cursor === undefined) return undefined;
  const parts = parse(cursor);
  const isPosition = parts.length === length + 1 && parts.slice(1).every(isScalar);
  if (!isPosition || parts[0] !== seal(list, filters)) {
    throw new AppError('request.cursor_invalid', '/query/after is not a cursor of this list with these filters', {
      details: [{ path: '/query/after', message: 'is not a cursor of this list with these filters' }],
    });
  }
  return parts.slice(1) as (string | number)[];
}

const isScalar = (value: unknown): boolean => typeof value === 'string' || Number.isSafeInteger(value);

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
