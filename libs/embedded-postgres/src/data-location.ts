import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chooseAccount, isReachable, type Account } from './account';
import { makeSharedFolder } from './shared-folder';
import { EmbeddedPostgresError } from './start-problem';

export interface DataLocation {
  dataDirectory: string;
  account: Account;
}

const noteIn = (dataFolder: string): string => join(dataFolder, 'postgres.location');
const usualPlaceIn = (dataFolder: string): string => join(dataFolder, 'postgres');

/**
 * Where the data of this folder is, or undefined before the first start.
 *
 * @throws EmbeddedPostgresError when it was kept elsewhere and is gone: an empty database must not take its place.
 */
export function findData(dataFolder: string): DataLocation | undefined {
  const note = noteIn(dataFolder);
  const noted = existsSync(note);
  const dataDirectory = noted ? readFileSync(note, 'utf8').trim() : usualPlaceIn(dataFolder);
  if (existsSync(dataDirectory)) return { dataDirectory, account: chooseAccount(dataDirectory) };
  if (!noted) return undefined;
  throw new EmbeddedPostgresError(
    `The database of ${dataFolder} was kept in ${dataDirectory}, which is gone. Restore it there, ` +
      `or remove ${note} to begin with an empty database.`,
  );
}

/**
 * Where new data goes: into the data folder or, when root lends PostgreSQL an account that cannot enter that folder,
 * below `sharedFolder`.
 */
export async function chooseLocation(dataFolder: string, sharedFolder: string): Promise<DataLocation> {
  const account = chooseAccount();
  if (isReachable(dataFolder, account)) return { dataDirectory: usualPlaceIn(dataFolder), account };
  const elsewhere = join(sharedFolder, randomUUID());
  await makeSharedFolder(sharedFolder);
  await makeSharedFolder(elsewhere);
  return { dataDirectory: join(elsewhere, 'postgres'), account };
}

/** Notes where finished data is, when that is not the usual place. */
export function rememberLocation(dataFolder: string, { dataDirectory }: DataLocation): void {
  if (dataDirectory !== usualPlaceIn(dataFolder)) writeFileSync(noteIn(dataFolder), `${dataDirectory}\n`);
}
