import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** In the data folder of a platform that found no wall for programs of users, and was not told to do without. */
const FILE = 'missing-sandbox';

export function recordMissingWall(dataFolder: string, reasons: string): void {
  writeFileSync(join(dataFolder, FILE), reasons, { mode: 0o600 });
}

export function forgetMissingWall(dataFolder: string): void {
  rmSync(join(dataFolder, FILE), { force: true });
}

/** Why the platform that was last started on the data folder has no wall; undefined when it has one, or does without. */
export function missingWall(dataFolder: string): string | undefined {
  const path = join(dataFolder, FILE);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
