import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { findProgram } from '@plinth/sandbox';

export interface ChildEntry {
  script: string;
  /** Folders that the child may read. */
  readable: string[];
  /** The binary of the compiler's native module, where there is one, which must be allowed to load. */
  native?: string | undefined;
  /** Changes with everything that a result depends on beside the model. */
  version: string;
}

const COMPILER = 'apps/build-worker/src/compilation/compiler';
const PROGRAM = { entry: `${COMPILER}/child/main`, folders: [COMPILER, 'libs/jinja/src', 'libs/model-process/src'] };

/** The child's program. */
export function findChildEntry(): ChildEntry {
  const modules = nodeModules();
  const { script, folders } = findProgram(PROGRAM);
  const binaries = [['index.node'], ['native', 'index.node']];
  const native = binaries.map((path) => join(modules, '@cubejs-backend', 'native', ...path)).find(existsSync);
  return { script, readable: [modules, ...folders], native, version: versionOf(folders, native !== undefined) };
}

function versionOf(folders: readonly string[], native: boolean): string {
  const compiler = readFileSync(require.resolve('@cubejs-backend/schema-compiler/package.json'));
  const hash = createHash('sha256')
    .update(compiler)
    .update(JSON.stringify([process.version, native]));
  for (const folder of folders) {
    const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    for (const name of programs.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  }
  return hash.digest('base64url');
}

function nodeModules(): string {
  const entry = require.resolve('@cubejs-backend/schema-compiler');
  return entry.slice(0, entry.lastIndexOf(`${sep}node_modules${sep}`) + `${sep}node_modules`.length);
}
