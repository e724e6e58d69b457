import { invalidRequest } from '@plinth/errors';

/**
 * When a new credential stops working; null for never.
 *
 * @param text a date-time of RFC 3339.
 * @param path where the text stands in the request.
 * @throws AppError `request.invalid` (400) for a moment that has passed, or that no calendar has.
 */
export function futureExpiry(text: string | null | undefined, path = '/body/expiresAt'): Date | null {
  if (text == null) return null;
  const expiresAt = new Date(text);
  if (!(expiresAt.getTime() > Date.now())) throw invalidRequest(path, 'must be a date and time that lies ahead');
  return expiresAt;
}
