import { readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { sweepIncoming } from './remote/incoming-repository';

// The folder of a fetch keeps its age while a large pack grows below it, a finished pack while others are written.
const LONGEST_TRANSFER_MS = 3_600_000;
const UNFINISHED_PACK = /^(?:\.tmp-|tmp_(?:pack|idx|rev)_)/;

/**
 * Removes what a killed process leaves in a repository: half-written objects and packs, lock files and what fetches
 * received, all only when older than `olderThanMs`, so that a writer at work keeps its own.
 */
export async function sweepLeftovers(gitDir: string, olderThanMs: number): Promise<void> {
  const longMs = Math.max(olderThanMs, LONGEST_TRANSFER_MS);
  const [objects, refs, packs] = await Promise.all([
    filesBelow(join(gitDir, 'objects'), (name) => name.startsWith('tmp_obj_')),
    filesBelow(join(gitDir, 'refs'), (name) => name.endsWith('.lock')),
    filesBelow(join(gitDir, 'objects', 'pack'), (name) => UNFINISHED_PACK.test(name)),
  ]);
  const locks = ['packed-refs.lock', 'HEAD.lock', 'config.lock'].map((name) => join(gitDir, name));
  await Promise.all([...objects, ...refs, ...locks].map((path) => removeIfOld(path, olderThanMs)));
  await Promise.all(packs.map((path) => removeIfOld(path, longMs)));
  await sweepIncoming(gitDir, longMs);
}

async function filesBelow(directory: string, wanted: (name: string) => boolean): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(nothingIfGone);
  const found = await Promise.all(
    entries.map((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesBelow(path, wanted);
      return entry.isFile() && wanted(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
}

/** Git removes folders that have become empty, also while another worker looks through them. */
function nothingIfGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}

async function removeIfOld(path: string, olderThanMs: number): Promise<void> {
  const info = await stat(path).catch(() => undefined);
  if (info && Date.now() - info.mtimeMs > olderThanMs) await unlink(path).catch(() => undefined);
}
