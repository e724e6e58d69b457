import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkRef } from '../branch-names';
import { checkObjectId } from '../object-id';
import { startGit } from './git-child';
import { type References } from './read-every-ref';

/**
 * Makes a bare repository with the objects of a pack, which git verifies, and without references.
 *
 * @param gitDir folder that is not there yet
 * @throws GitError when git fails; the folder is the caller's to remove
 */
export async function unpackObjects(gitDir: string, pack: Readable): Promise<void> {
  await mkdir(gitDir, { recursive: true, mode: 0o700 });
  await run(gitDir, ['init', '--bare', '--quiet', '--template=']);
  await run(gitDir, ['index-pack', '--stdin', '--threads=1'], pack);
}

/**
 * Gives a repository that has none its references. It is whole when this returns: everything that they reach is there.
 *
 * @throws GitError when something is not; TypeError for what is no reference
 */
export async function setReferences(gitDir: string, { head, refs }: References): Promise<void> {
  await writeFile(join(gitDir, 'HEAD'), `ref: ${checkRef(head)}\n`);
  const lines = [...refs].map(([name, oid]) => `${checkObjectId(oid)} ${checkRef(name)}\n`);
  await writeFile(join(gitDir, 'packed-refs'), lines.join(''));
  await run(gitDir, ['rev-list', '--objects', '--all', '--quiet']);
}

async function run(gitDir: string, words: readonly string[], input: Readable | Iterable<string> = []): Promise<void> {
  const stop = new AbortController();
  const child = startGit(gitDir, words, stop.signal);
  child.stdout.resume();
  try {
    const fed = pipeline(input, child.stdin);
    await fed.catch((error: unknown) => child.ended.then(() => Promise.reject(error)));
    await child.ended;
  } finally {
    stop.abort();
  }
}
