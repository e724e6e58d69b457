import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './start-problem';

export const SUPERUSER = 'plinth';
export const DATABASE = 'plinth';

const passwordFile = (dataFolder: string): string => join(dataFolder, 'postgres.password');

/** The superuser's password, or undefined before the first start. */
export function storedPassword(dataFolder: string): string | undefined {
  try {
    return readFileSync(passwordFile(dataFolder), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes a random password that only the user of this process can read. */
export function createPassword(dataFolder: string): string {
  const password = randomBytes(24).toString('base64url');
  const draft = `${passwordFile(dataFolder)}.new`;
  writeFileSync(draft, password, { mode: 0o600 });
  renameSync(draft, passwordFile(dataFolder));
  return password;
}

/** @throws EmbeddedPostgresError when the file is gone: nobody else knows the password of the existing data. */
export function requirePassword(dataFolder: string): string {
  const password = storedPassword(dataFolder);
  if (password) return password;
  throw new EmbeddedPostgresError(
    `${passwordFile(dataFolder)} is missing, and with it the password of the database. Restore it from a backup.`,
  );
}

export const urlOf = (password: string, port: number, database = DATABASE): string =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
