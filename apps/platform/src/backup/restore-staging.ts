import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { repositoryPath, restoreFolder, restoreNote } from '@plinth/git';
import type { ArchivedTenant } from './backup-format';
import { BackupError } from './backup-error';

/**
 * Where repositories wait until their rows are committed: a folder below the storage root, from which they are renamed into
 * place. A note of the tenants is on the disk before the commit. After a crash, the database says what to do with a folder
 * that is left: with the tenants in it, the repositories belong in their places; otherwise all of it goes.
 */
export class RestoreStaging {
  private readonly folder: string;
  private readonly noteFile: string;

  constructor(private readonly storageRoot: string) {
    this.folder = restoreFolder(storageRoot);
    this.noteFile = restoreNote(storageRoot);
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
    const draft = `${this.noteFile}.new`;
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(tenants));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.noteFile);
    const folder = await open(this.folder, 'r');
    await folder.sync().finally(() => folder.close());
  }

  /** The tenants whose rows were about to be committed; undefined when it had not come to that. */
  async noted(): Promise<ArchivedTenant[] | undefined> {
    if (!existsSync(this.noteFile)) return undefined;
    return JSON.parse(await readFile(this.noteFile, 'utf8')) as ArchivedTenant[];
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

/** Whether there is nothing in a storage root. */
export async function isEmptyRoot(storageRoot: string): Promise<boolean> {
  const names = await readdir(storageRoot).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.every((name) => name === basename(restoreFolder(storageRoot)) || name === 'lost+found');
}
