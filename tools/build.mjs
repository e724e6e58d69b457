// Compiles TypeScript to dist/, mirroring the tree; imports of @plinth/* become relative paths.
//
//   node tools/build.mjs [PROJECT_ROOT...]     (all that is deployed when none is named)
//
// Files whose output is newer than their source are left alone, so that a second build costs next to nothing.
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import lazyImports from './lazy-imports.js';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'dist');
const self = [fileURLToPath(import.meta.url), join(root, 'tools/lazy-imports.js')];

/** Tests, and what serves tests alone: fixtures, fake servers, children that are killed. */
const isTest = (path) => /\.(spec|e2e)\.ts$|-fixture\.ts$|(^|\/)(crash-child\.ts$|testing\/)/.test(path);
const isSource = (path) =>
  /\.(ts|json|html|css|sql|yml|ttf|py)$|LICENSE\.txt$/.test(path) && !/\.d\.ts$/.test(path) && !isTest(path);

const options = {
  swcrc: false,
  sourceMaps: true,
  cwd: root,
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
    baseUrl: root,
    paths: { '@plinth/*': ['libs/*/src'] },
  },
};

/** Nothing of these is deployed: they are built when they are named. */
const forTests = new Set(['testing', 'e2e']);

async function* sourcesIn(folder, project = folder) {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sourcesIn(path, project);
    else if (isSource(relative(project, path))) yield path;
  }
}

/** Loaded when there is something to compile: most builds have nothing to do. */
const compiler = () => import('@swc/core');

/** Also of a file that was moved here and is older than what it replaced. */
const changedAt = (path) =>
  stat(path).then(
    ({ ctimeMs }) => ctimeMs,
    () => 0,
  );

async function build(source) {
  const target = join(output, relative(root, source)).replace(/\.ts$/, '.js');
  if ((await changedAt(target)) > Math.max(...(await Promise.all([source, ...self].map(changedAt))))) return 0;
  await mkdir(dirname(target), { recursive: true });
  if (!source.endsWith('.ts')) {
    await copyFile(source, target);
    return 1;
  }
  const { transformFile } = await compiler();
  const { code, map } = await transformFile(source, {
    ...options,
    module: { type: 'commonjs', ignoreDynamic: true, lazy: lazyImports.lazyImportsOf(source) },
    sourceFileName: relative(dirname(target), source),
  });
  await writeFile(`${target}.map`, map);
  await writeFile(target, `${code}\n//# sourceMappingURL=${target.split('/').at(-1)}.map\n`);
  return 1;
}

async function allProjects() {
  const roots = [];
  for (const group of ['libs', 'apps']) {
    for (const name of await readdir(join(root, group))) if (!forTests.has(name)) roots.push(join(group, name));
  }
  return roots;
}

const projects = process.argv.length > 2 ? process.argv.slice(2) : await allProjects();
const started = performance.now();
let written = 0;
for (const project of projects) {
  const sources = [];
  for (const folder of ['src', 'fonts'].map((name) => join(root, project, name)).filter(existsSync)) {
    for await (const source of sourcesIn(folder)) sources.push(source);
  }
  written += (await Promise.all(sources.map(build))).reduce((sum, count) => sum + count, 0);
}
if (written > 0) console.error(`built ${written} files in ${Math.round(performance.now() - started)} ms`);
