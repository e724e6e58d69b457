import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type ObjectId } from './object-id';

// Each attempt loses against a packing that removes the empty folder at that very moment.
const ATTEMPTS = 10;

/** Where a loose object is kept. */
export const objectPath = (gitDir: string, oid: ObjectId): string =>
  join(gitDir, 'objects', oid.slice(0, 2), oid.slice(2));

/**
 * Asked before objects become part of a repository, with the bytes that they take on disk; when it throws, nothing of
 * them is kept.
 */
export type Admission = (bytes: number) => Promise<void>;

/**
 * Whether the loose object is there and ours. It counts as new from then on, so that a collection which runs meanwhile leaves it
 * to whoever is about to refer to it. What cannot be freshened is to be stored again.
 */
export async function freshen(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** A name for an object that is being written, in a folder that nothing removes. `git prune` knows the prefix. */
export const temporaryObject = (gitDir: string): string =>
  join(gitDir, 'objects', `tmp_obj_${randomBytes(8).toString('hex')}`);

/** Makes a file that must not exist yet; closed when `work` ends. */
export async function writeNewFile(path: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'wx', 0o444);
  try {
    await work(file);
  } finally {
    await file.close();
  }
}

/** Gives a finished object its name. Its folder is made when it is the first there, or git, which packs meanwhile, removes it. */
export async function publishObject(temporary: string, path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(temporary, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt > ATTEMPTS) throw error;
    }
    await mkdir(dirname(path), { recursive: true });
  }
}
