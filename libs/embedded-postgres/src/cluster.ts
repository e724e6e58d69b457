import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from './account';
import { SUPERUSER } from './credentials';
import { neutralEnvironment } from './postmaster';

export interface ClusterOptions {
  initdb: string;
  dataDirectory: string;
  account: Account;
  password: string;
  durable: boolean;
}

/** Makes the data directory beside its final place and renames it: an interrupted attempt leaves nothing half-made. */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { initdb, dataDirectory, account, password, durable } = options;
  const draft = `${dataDirectory}.new`;
  const passwordFile = `${dataDirectory}.pwfile`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  try {
    if (account.switched) {
      await chown(draft, account.uid, account.gid);
      await chown(passwordFile, account.uid, account.gid);
    }
    await chmod(draft, 0o700);
    await promisify(execFile)(initdb, [...flags(durable), `--pgdata=${draft}`, `--pwfile=${passwordFile}`], {
      cwd: dirname(dataDirectory),
      env: neutralEnvironment,
      ...(account.switched && { uid: account.uid, gid: account.gid }),
    });
    await rename(draft, dataDirectory);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

const flags = (durable: boolean): string[] => [
  `--username=${SUPERUSER}`,
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  ...(durable ? [] : ['--no-sync']),
];
