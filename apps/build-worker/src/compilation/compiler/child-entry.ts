import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type * as Swc from '@swc/core';

export interface ChildEntry {
  script: string;
  /** Folders that the child may read. */
  readable: string[];
  /** The binary of the compiler's native module, where there is one, which must be allowed to load. */
  native?: string | undefined;
  /** Changes with everything that a result depends on beside the model. */
  version: string;
}

/** The child's program: beside this file in a build; compiled on first use when this runs from TypeScript sources. */
export function findChildEntry(): ChildEntry {
  const modules = nodeModules();
  const built = join(__dirname, 'child', 'main.js');
  const script = existsSync(built) ? built : buildFromSources(join(modules, '.cache', 'plinth-compiler'));
  const binaries = [['index.node'], ['native', 'index.node']];
  const native = binaries.map((path) => join(modules, '@cubejs-backend', 'native', ...path)).find(existsSync);
  const folder = dirname(dirname(script));
  return { script, readable: [modules, folder], native, version: versionOf(folder, native !== undefined) };
}

function versionOf(folder: string, native: boolean): string {
  const compiler = readFileSync(require.resolve('@cubejs-backend/schema-compiler/package.json'));
  const hash = createHash('sha256')
    .update(compiler)
    .update(JSON.stringify([process.version, native]));
  const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  for (const name of programs.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('base64url');
}

function nodeModules(): string {
  const entry = require.resolve('@cubejs-backend/schema-compiler');
  return entry.slice(0, entry.lastIndexOf(`${sep}node_modules${sep}`) + `${sep}node_modules`.length);
}

/**
 * Node's permission model refuses everything that is not allowed here: other files, writing, processes and threads. Code
 * from strings is how a model would climb out of its context. V8's flags trace to files and take checks away: to set one
 * after the start ends the process.
 */
export function nodeArguments({ readable, native }: ChildEntry, heapMb: number): string[] {
  return [
    permissionModel(),
    ...readable.map((folder) => `--allow-fs-read=${folder}/*`),
    ...(native ? ['--allow-addons'] : []),
    '--disallow-code-generation-from-strings',
    '--freeze-flags-after-init',
    `--max-old-space-size=${heapMb}`,
    '--no-warnings',
  ];
}

/** The option that turns the permission model on: it lost its prefix on the way from Node 20 to 24. */
export function permissionModel(): string {
  return process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission';
}

/** Keyed by the sources, so that test processes share it and never run stale code. */
function buildFromSources(cache: string): string {
  const swc: typeof Swc = createRequire(__filename)('@swc/core');
  const names = ['compile-result.ts', ...readdirSync(join(__dirname, 'child')).map((name) => `child/${name}`)];
  const sources = names.map((name) => [name, readFileSync(join(__dirname, name), 'utf8')] as const);
  const folder = join(cache, createHash('sha1').update(JSON.stringify(sources)).digest('hex'));
  if (!existsSync(folder)) {
    const draft = `${folder}.${process.pid}`;
    mkdirSync(join(draft, 'child'), { recursive: true });
    for (const [name, source] of sources) {
      writeFileSync(join(draft, name.replace(/\.ts$/, '.js')), transpile(swc, source));
    }
    publish(draft, folder);
  }
  return join(folder, 'child', 'main.js');
}

function transpile(swc: typeof Swc, source: string): string {
  return swc.transformSync(source, {
    swcrc: false,
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  }).code;
}

/** Another process may have published the same build in the meantime. */
function publish(draft: string, folder: string): void {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (readdirSync(folder).length === 0) throw error;
  }
}
