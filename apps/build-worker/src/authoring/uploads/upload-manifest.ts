import { AppError } from '@plinth/errors';
import type { ObjectId, TreeChange } from '@plinth/git';

export interface Content {
  oid: ObjectId;
  /** SHA-1 of the raw content. */
  contentHash: string;
}

export interface Manifest {
  /** SHA-1 by path: everything that the project is to hold. */
  wanted: ReadonlyMap<string, string>;
  /** What the client sent, by path. */
  uploaded: ReadonlyMap<string, Content>;
  /** What the branch held when the client compared, by path. */
  stored: ReadonlyMap<string, string>;
  /** Whether stored files that are not wanted go. */
  prune: boolean;
}

const NAMED_AT_MOST = 20;
const LISTED_HIDDEN = new Set(['.gitignore', '.gitkeep']);
const UNLISTED_FOLDERS = new Set(['node_modules', 'dashboard-app']);

/**
 * What has to change for a branch to hold the wanted files. Removals come first, so that a folder can take the place of
 * a file.
 *
 * @throws AppError `upload.incomplete` (400) naming wanted files that are neither uploaded nor stored
 */
export function changesFor({ wanted, uploaded, stored, prune }: Manifest): TreeChange[] {
  const links: TreeChange[] = [];
  const missing: string[] = [];
  for (const [path, hash] of wanted) {
    if (stored.get(path) === hash) continue;
    const content = uploaded.get(path);
    if (content?.contentHash === hash) links.push({ kind: 'link', path, oid: content.oid });
    else missing.push(path);
  }
  if (missing.length > 0) throw incomplete(missing);
  const removed = prune ? [...stored.keys()].filter((path) => !wanted.has(path) && isListedByClients(path)) : [];
  return [...removed.map((path): TreeChange => ({ kind: 'delete', path })), ...links];
}

/**
 * Clients leave hidden files and dependency folders out of their lists, so their absence there says nothing. A placeholder
 * of an empty folder has served its time once there are files.
 */
const isListedByClients = (path: string): boolean =>
  path.split('/').every((name) => (LISTED_HIDDEN.has(name) || !name.startsWith('.')) && !UNLISTED_FOLDERS.has(name));

function incomplete(missing: readonly string[]): AppError {
  const named = missing.slice(0, NAMED_AT_MOST);
  const others = missing.length > named.length ? ` and ${missing.length - named.length} more` : '';
  return new AppError(
    'upload.incomplete',
    `Neither uploaded nor stored with the hash given: ${named.join(', ')}${others}`,
    {
      details: named.map((path) => ({ path, message: 'is neither uploaded nor stored with the hash given' })),
    },
  );
}
