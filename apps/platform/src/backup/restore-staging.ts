import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { repositoryPath } from '@plinth/git';
import type { ArchivedTenant } from './backup-format';
import { BackupError } from './backup-error';

const FOLDER = '.restore';
const NOTE = 'tenants.json';

/**
 * Where repositories wait until their rows are committed: a folder below the storage root, from which they are renamed into
 * place. A note of the tenants is on the disk before the commit. After a crash, the database says what to do with a folder
 * that is left: with the tenants in it, the repositories belong in their places; otherwise all of it goes.
 */
export class RestoreStaging {
  private readonly folder: string;

  constructor(private readonly storageRoot: string) {
    this.folder = join(storageRoot, FOLDER);
  }

  /** Whether a restore was interrupted, or another one runs. */
  get isThere(): boolean {
    return existsSync(this.folder);
  }

  /** @throws BackupError when another restore has begun */
  async begin(): Promise<void> {
    await mkdir(this.storageRoot, { recursive: true, mode: 0o700 });
    await mkdir(this.folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      throw new BackupError(`Another restore has begun in ${this.folder}`);
    });
  }

  pathOf(id: string): string {
    return join(this.folder, `${id}.git`);
  }

  /** To be called before the commit. */
  async note(tenants: readonly ArchivedTenant[]): Promise<void> {
    const draft = join(this.folder, `${NOTE}.new`);
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(tenants));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(this.folder, NOTE));
    const folder = await open(this.folder, 'r');
    await folder.sync().finally(() => folder.close());
  }

  /** The tenants whose rows were about to be committed; undefined when it had not come to that. */
  async noted(): Promise<ArchivedTenant[] | undefined> {
    const file = join(this.folder, NOTE);
    return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as ArchivedTenant[]) : undefined;
  }

  /** Brings the repositories into their places, once their rows are committed. Returns their number. */
  async publish(): Promise<number> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.git'));
    for (const name of names) {
      const target = repositoryPath(this.storageRoot, name.slice(0, -'.git'.length));
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      await rename(join(this.folder, name), target);
    }
    await this.discard();
    return names.length;
  }

  discard(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

/**
 * For whoever starts on a storage root.
 *
 * @throws BackupError when rows of a restore are committed, or about to be, and its repositories are not in their places
 */
export function refuseUnfinishedRestore(storageRoot: string): void {
  if (!existsSync(join(storageRoot, FOLDER, NOTE))) return;
  throw new BackupError(
    `A restore into ${storageRoot} was interrupted. Run \`plinth restore\` with the same file again: it finishes or undoes it.`,
  );
}

/** Whether there is nothing in a storage root. */
export async function isEmptyRoot(storageRoot: string): Promise<boolean> {
  const names = await readdir(storageRoot).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.every((name) => name === FOLDER || name === 'lost+found');
}
