import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type * as Swc from '@swc/core';

/** A program of Plinth's that runs in a process of its own. Paths are relative to the root of the sources or of a build. */
export interface ProgramSources {
  /** Its entry, without the ending. */
  entry: string;
  /** Folders of everything that it imports from Plinth. */
  folders: readonly string[];
}

export interface FoundProgram {
  script: string;
  folders: string[];
}

/** Of the sources or of a build: both have the same tree. */
const ROOT = resolve(__dirname, '../../../..');

/** The program in this build; compiled on first use when this runs from TypeScript sources. */
export function findProgram({ entry, folders }: ProgramSources): FoundProgram {
  const root = existsSync(join(ROOT, `${entry}.js`)) ? ROOT : buildFromSources(folders);
  return { script: join(root, `${entry}.js`), folders: folders.map((folder) => join(root, folder)) };
}

/** Keyed by the sources, so that test processes share it and never run stale code. */
function buildFromSources(folders: readonly string[]): string {
  const swc: typeof Swc = createRequire(__filename)('@swc/core');
  const names = folders.flatMap((folder) => sourcesIn(folder));
  const sources = names.map((name) => [name, readFileSync(join(ROOT, name), 'utf8')] as const);
  const hash = createHash('sha1').update(JSON.stringify(sources)).digest('hex');
  const folder = join(ROOT, 'node_modules', '.cache', 'plinth-programs', hash);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  for (const [name, source] of sources) {
    const target = join(draft, name.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, transpile(swc, join(ROOT, name), source));
  }
  publish(draft, folder);
  return folder;
}

function sourcesIn(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).sort();
  return names.filter((name) => /(?<!\.spec|\.d)\.ts$/.test(name)).map((name) => join(folder, name));
}

function transpile(swc: typeof Swc, filename: string, source: string): string {
  return swc.transformSync(source, {
    swcrc: false,
    filename,
    cwd: ROOT,
    jsc: {
      target: 'es2022',
      parser: { syntax: 'typescript' },
      keepClassNames: true,
      baseUrl: ROOT,
      paths: { '@plinth/*': ['libs/*/src'] },
    },
    module: { type: 'commonjs', ignoreDynamic: true },
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
