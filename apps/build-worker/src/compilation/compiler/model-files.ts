import { type ModelFile } from './compile-result';

const ROOTS = ['model/', 'schema/'];
const EXTENSIONS = ['.js', '.yml', '.yaml', '.jinja', '.py'];

/**
 * The files that a Cube server would load, with names relative to their root: `model/`, or the older `schema/` when there is
 * no `model/`. Configuration (`cube.js`, `cube.py`) lies outside and never counts.
 */
export function selectModelFiles(files: readonly ModelFile[]): { root: string; files: ModelFile[] } {
  const root = ROOTS.find((candidate) => files.some(({ path }) => path.startsWith(candidate))) ?? 'model/';
  const selected = files
    .filter(({ path }) => path.startsWith(root) && EXTENSIONS.some((extension) => path.endsWith(extension)))
    .map(({ path, content }) => ({ path: path.slice(root.length), content }));
  return { root, files: selected };
}
