import { AppError } from '@plinth/errors';

const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 128;

/**
 * Refuses a password that is too easy to guess. Length counts characters as people see them typed: code points.
 *
 * @throws AppError `password.unacceptable` (400).
 */
export function requireAcceptablePassword(password: string, { email }: { email: string }): void {
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD) {
    throw unacceptable(`A password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
  }
  if (password.toLowerCase() === email.toLowerCase()) throw unacceptable('A password is not the email address');
}

const unacceptable = (message: string): AppError => new AppError('password.unacceptable', message);
