import { join } from 'node:path';
import { storedPassword, urlOf } from './credentials';
import { lockHolder } from './instance-lock';

export const lockFile = (dataFolder: string): string => join(dataFolder, 'postgres.lock');

/**
 * Finds the server that another process of the same installation started in this data folder. Undefined when none
 * runs, or while it is still starting.
 *
 * @throws The file system's error when this user may not read the password.
 */
export function findRunningPostgres(dataFolder: string): { url: string } | undefined {
  const port = lockHolder(lockFile(dataFolder))?.port;
  const password = storedPassword(dataFolder);
  return port && password ? { url: urlOf(password, port) } : undefined;
}
