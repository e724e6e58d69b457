import { type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ObjectId } from '../object-id';
import { startGit } from './git-child';

/** A line of the listing: an object id and a line feed. */
const LINE_BYTES = 41;

/**
 * Writes one pack with every object of a repository, also those that no reference reaches: a database may name them. What
 * git has packed before is copied as it is.
 *
 * @param wanted objects that the caller needs
 * @returns the number of objects, and which of the wanted ones are not there any more
 * @throws GitError when git fails, as when objects are removed meanwhile
 */
export async function packEverything(
  gitDir: string,
  target: Writable,
  wanted: Iterable<ObjectId>,
): Promise<{ objects: number; missing: ReadonlySet<ObjectId> }> {
  const failed = new AbortController();
  const listing = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)', '--unordered'];
  const list = startGit(gitDir, listing, failed.signal);
  // The platform beside it needs the processors, too: deltas are copied, and none is looked for.
  const packing = ['-c', 'pack.threads=1', 'pack-objects', '--stdout', '--delta-base-offset', '--window=0', '-q'];
  const pack = startGit(gitDir, packing, failed.signal);
  const missing = new Set(wanted);
  let objects = 0;
  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
    let text = '';
    for await (const chunk of source) {
      text += chunk.toString('latin1');
      const whole = text.length - (text.length % LINE_BYTES);
      for (let start = 0; start < whole; start += LINE_BYTES) missing.delete(text.slice(start, start + LINE_BYTES - 1));
      objects += whole / LINE_BYTES;
      yield text.slice(0, whole);
      text = text.slice(whole);
    }
  }
  try {
    const whatGitSays = Promise.all([list.ended, pack.ended]);
    const flow = Promise.all([pipeline(list.stdout, counted, pack.stdin), pipeline(pack.stdout, target)]);
    // When git fails, that says more than the pipes which break after it.
    await flow.catch((error: unknown) => whatGitSays.then(() => Promise.reject(error)));
    await whatGitSays;
    return { objects, missing };
  } finally {
    failed.abort();
  }
}
