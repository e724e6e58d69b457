import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const fileIn = (dataFolder: string): string => join(dataFolder, 'url');

/** Notes where the platform of a data folder answers, for commands of the operator. */
export const noteAddress = (dataFolder: string, url: string): void => writeFileSync(fileIn(dataFolder), `${url}\n`);

/** Where it answered at its last start; undefined before the first one. */
export function notedAddress(dataFolder: string): string | undefined {
  try {
    return readFileSync(fileIn(dataFolder), 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
