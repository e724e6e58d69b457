import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PROGRAM = join('libs', 'engine', 'src', 'engine', 'main.js');

/**
 * The program of an engine: beside this one in a build, in the build's folder when this runs from sources.
 *
 * @throws Error when there is no build
 */
export function findEngineEntry(from = __dirname): string {
  const candidates: string[] = [];
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    candidates.push(join(folder, PROGRAM), join(folder, 'dist', PROGRAM));
  }
  const found = candidates.find(existsSync);
  if (found === undefined) throw new Error('There is no program of the engine: build it by node tools/build.mjs');
  return found;
}
