import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/** The content of a file that only its owner may read; made with `generate` when there is none. */
export function secretFile(path: string, generate: () => string): string {
  try {
    writeFileSync(path, `${generate()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  return readFileSync(path, 'utf8').trim();
}

/** 32 random bytes in base64, as the settings take encryption keys. */
export const newEncryptionKey = (): string => randomBytes(32).toString('base64');

/** A secret for an API key that needs no base62: hexadecimal is a part of it. */
export const newApiKey = (): string => `sk-${randomBytes(20).toString('hex')}`;
