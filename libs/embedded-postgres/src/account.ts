import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, resolve } from 'node:path';
import { EmbeddedPostgresError } from './start-problem';

/** The operating-system user that PostgreSQL runs as. `switched`: another one than the user of this process. */
export interface Account {
  uid: number;
  gid: number;
  name: string;
  switched: boolean;
}

/**
 * PostgreSQL refuses to run as root, so root lends it another account: the owner of the existing data, else
 * `postgres`, else `nobody`. Every other user runs it under his own account.
 */
export function chooseAccount(existingData?: string): Account {
  const uid = process.getuid?.() ?? -1;
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? -1, name: ownName(uid), switched: false };
  const owner = existingData === undefined ? undefined : statSync(existingData).uid;
  const accounts = knownAccounts();
  const chosen =
    accounts.find((account) => account.uid === owner && owner !== 0) ??
    accounts.find(({ name }) => name === 'postgres') ??
    accounts.find(({ name }) => name === 'nobody');
  if (chosen) return chosen;
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody". ' +
      'Start as an ordinary user, or set PLINTH_DATABASE_URL to a server of your own.',
  );
}

/** For messages: a user id without an entry in /etc/passwd has no name. */
export function currentUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user id ${process.getuid?.()}`;
  }
}

/** PostgreSQL refuses a user id without a name, as containers with a made-up user id have. */
function ownName(uid: number): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL does not run as user id ${uid}, which has no entry in /etc/passwd. Start as a user that has a name, ` +
        'or set PLINTH_DATABASE_URL to a server of your own.',
      { cause: error },
    );
  }
}

const knownAccounts = (): Account[] =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid), switched: true }));

/** Whether the account can enter every folder above `path` and read and enter (or execute) `path` itself. */
export function isReachable(path: string, account: Account): boolean {
  if (!account.switched) return true;
  const own = resolve(path);
  if (!permits(own, account, 0o5)) return false;
  for (let folder = dirname(own); ; folder = dirname(folder)) {
    if (!permits(folder, account, 0o1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Plain permission bits only: where access lists say otherwise, PostgreSQL's own error tells. */
function permits(path: string, account: Account, wanted: number): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
