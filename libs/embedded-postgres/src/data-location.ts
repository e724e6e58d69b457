import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseAccount, isReachable, type Account } from './account';

export interface DataLocation {
  dataDirectory: string;
  account: Account;
}

/**
 * Where PostgreSQL keeps its files: in the data folder, or, when root lends it an account that cannot enter that
 * folder, below `sharedFolder`. The choice is remembered in the data folder.
 */
export async function locateData(dataFolder: string, sharedFolder: string): Promise<DataLocation> {
  const note = join(dataFolder, 'postgres.location');
  const usual = join(dataFolder, 'postgres');
  const remembered = existsSync(note) ? (await readFile(note, 'utf8')).trim() : undefined;
  const existing = remembered ?? usual;
  const account = chooseAccount(existsSync(existing) ? existing : undefined);
  if (remembered !== undefined || existsSync(usual) || isReachable(dataFolder, account)) {
    return { dataDirectory: existing, account };
  }
  const elsewhere = join(sharedFolder, createHash('sha256').update(dataFolder).digest('hex').slice(0, 16));
  await mkdir(elsewhere, { recursive: true, mode: 0o755 });
  const dataDirectory = join(elsewhere, 'postgres');
  await writeFile(note, `${dataDirectory}\n`);
  return { dataDirectory, account };
}
