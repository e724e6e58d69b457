import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RepositoryStore } from '@plinth/git';
import { ownerOf } from '../../../build-worker/src';

const REPOSITORY = /^(t\d+-d\d+)\.git$/;

/** Removes every repository of a tenant below a storage root. Returns their number. */
export async function removeRepositories(storageRoot: string, tenantId: number): Promise<number> {
  const store = new RepositoryStore({ root: storageRoot });
  let removed = 0;
  for (const shard of await foldersIn(storageRoot)) {
    for (const name of await foldersIn(join(storageRoot, shard))) {
      const [, id] = REPOSITORY.exec(name) ?? [];
      if (id === undefined || ownerOf(id).tenantId !== tenantId) continue;
      await store.remove(id);
      removed += 1;
    }
  }
  return removed;
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
