import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of the release that runs: that of the package above, wherever the build puts this file. */
export function runningRelease(folder = __dirname): string {
  const file = join(folder, 'package.json');
  if (existsSync(file)) {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
    if (name === 'plinth' && version !== undefined) return version;
  }
  const above = dirname(folder);
  return above === folder ? 'unknown' : runningRelease(above);
}
