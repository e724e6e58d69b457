import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from './tree.mjs';

const declaration = /\b(?:setting|secretSetting)\(\s*'(PLINTH_[A-Z0-9_]+)'/g;
const isSource = (path) => path.endsWith('.ts') && !/\.(spec|e2e)\.ts$/.test(path);

/** The text of every source file that is not a test. */
export function* sources() {
  for (const folder of ['apps', 'libs']) {
    const files = readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path));
    for (const path of files.filter(isSource)) yield read(path);
  }
}

/** Every environment variable that the code declares as a setting. */
export function declaredSettings() {
  const variables = new Set();
  for (const text of sources()) {
    for (const [, variable] of text.matchAll(declaration)) variables.add(variable);
  }
  return variables;
}

/** Whether a process reads the variable, or the file that it names (libs/config). */
export const isDeclared = (settings, variable) =>
  settings.has(variable) || settings.has(variable.replace(/_FILE$/, ''));
