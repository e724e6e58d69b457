import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObjectId, type ObjectId } from '../object-id';

/** Where a repository's references stand. */
export interface References {
  /** The reference that `HEAD` names. */
  head: string;
  /** Object ids by full reference name. */
  refs: Map<string, ObjectId>;
}

const SYMBOLIC = /^ref: (refs\/\S+)\n$/;

/**
 * All references of a bare repository, without a child process: thousands of repositories are read while writers wait.
 * Loose ones are read first and win, as git has it: one that is packed meanwhile is found among the packed ones.
 *
 * @throws The file system's error; `ENOENT` when there is no repository
 */
export async function readEveryRef(gitDir: string): Promise<References> {
  const head = SYMBOLIC.exec(await readFile(join(gitDir, 'HEAD'), 'utf8'))?.[1];
  if (head === undefined) throw new Error(`${gitDir} has a HEAD that names no branch`);
  const loose = await readLoose(gitDir, 'refs');
  const packed = await readFile(join(gitDir, 'packed-refs'), 'utf8').catch(emptyIfGone);
  return { head, refs: new Map([...parsePacked(packed), ...loose]) };
}

async function readLoose(gitDir: string, name: string): Promise<[string, ObjectId][]> {
  const entries = await readdir(join(gitDir, name), { withFileTypes: true }).catch(noneIfGone);
  const found = await Promise.all(
    entries.map(async (entry): Promise<[string, ObjectId][]> => {
      const path = `${name}/${entry.name}`;
      if (entry.isDirectory()) return readLoose(gitDir, path);
      if (entry.name.endsWith('.lock')) return [];
      const oid = (await readFile(join(gitDir, path), 'utf8').catch(emptyIfGone)).trim();
      return isObjectId(oid) ? [[path, oid]] : [];
    }),
  );
  return found.flat();
}

/** Lines of `<id> <name>`; those of comments and of what tags lead to begin otherwise. */
function parsePacked(text: string): [string, ObjectId][] {
  return text.split('\n').flatMap((line): [string, ObjectId][] => {
    const [oid = '', name] = line.split(' ');
    return name !== undefined && isObjectId(oid) ? [[name, oid]] : [];
  });
}

function emptyIfGone(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

function noneIfGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw error;
}
