import { createHash, randomInt } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 40;
const prefixLength = 7;

/** A new secret: `sk-` and 40 random base62 characters, about 238 bits. */
export const newSecret = (): string =>
  `sk-${Array.from({ length: secretLength }, () => alphabet[randomInt(alphabet.length)]).join('')}`;

/** The form that every secret has, also one that an operator brings along. */
export const isSecret = (text: string): boolean => /^sk-[0-9A-Za-z]{20,200}$/.test(text);

/** What is stored of a secret: its SHA-256, in hexadecimal. */
export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The first characters, by which a person recognises a key. */
export const prefixOf = (secret: string): string => secret.slice(0, prefixLength);
