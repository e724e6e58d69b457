import { randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 12;

/** A new id for addresses: 12 random base62 characters, about 71 bits. */
export const newPublicId = (): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
