import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What every repository below a storage root says of its references. */
export function headsBelow(root: string): Record<string, string> {
  const heads: Record<string, string> = {};
  for (const shard of readdirSync(root).sort()) {
    for (const name of readdirSync(join(root, shard))) {
      const git = ['-c', 'safe.directory=*', '--git-dir', join(root, shard, name), 'for-each-ref'];
      heads[name] = execFileSync('git', git, { encoding: 'utf8' });
    }
  }
  return heads;
}
