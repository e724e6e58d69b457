import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(__dirname, 'files');

/** A valid Cube data model of YAML cubes with joins, a JavaScript cube, a Jinja template with a macro, and a view. */
export function sampleProject(): { path: string; content: string }[] {
  return readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(FOLDER.length + 1), content: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Cubes and views that {@link sampleProject} defines. */
export const SAMPLE_PROJECT_CUBES = 7;
