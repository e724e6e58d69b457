import { createHash } from 'node:crypto';
import { join } from 'node:path';

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/**
 * Folder of a repository in a store: one of 256 subfolders, by the hash of the id.
 *
 * @throws TypeError when it is no id of a repository
 */
export function repositoryPath(root: string, id: string): string {
  if (!ID.test(id)) throw new TypeError(`Not a repository id: ${JSON.stringify(id)}`);
  const shard = createHash('sha1').update(id).digest('hex').slice(0, 2);
  return join(root, shard, `${id}.git`);
}
