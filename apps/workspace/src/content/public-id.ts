import { randomInt } from 'node:crypto';
import { invalidRequest } from '@plinth/errors';

const LENGTH = 12;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Shape of what other platforms show for things without a public id; it stands for none in particular. */
const PLACEHOLDER = /^legacy[0-9]{6}$/;

/** A public id that nobody has chosen. */
export function newPublicId(): string {
  const id = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return PLACEHOLDER.test(id) ? newPublicId() : id;
}

/** @throws AppError `request.invalid` (400) for the shape of a placeholder. */
export function requireOwnPublicId(path: string, publicId: string): void {
  if (PLACEHOLDER.test(publicId)) throw invalidRequest(path, 'is the placeholder of something without a public id');
}
