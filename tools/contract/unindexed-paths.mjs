import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'yaml';

import { root } from './paths.mjs';

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const indices = ['platform', 'internal', 'data'];

/** Throws when a path file holds an operation that no index leads to: nothing would serve it, and nothing would say so. */
export async function refuseUnindexedPaths() {
  const texts = await Promise.all(indices.map((name) => readFile(join(root, `openapi/${name}.yaml`), 'utf8')));
  const indexed = new Set(texts.flatMap((text) => Object.values(parse(text).paths ?? {}).map(({ $ref }) => $ref)));
  const files = await readdir(join(root, 'openapi/paths'));
  const problems = await Promise.all(files.map((file) => unindexedIn(file, indexed)));
  if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
}

async function unindexedIn(file, indexed) {
  const items = Object.entries(parse(await readFile(join(root, 'openapi/paths', file), 'utf8')) ?? {});
  return items
    .filter(([name, item]) => METHODS.some((method) => item?.[method]) && !indexed.has(`paths/${file}#/${name}`))
    .map(
      ([name]) =>
        `openapi/paths/${file} has "${name}", which no index leads to. Write its path below "paths" in openapi/platform.yaml:\n` +
        `  /api/v1/...: { $ref: paths/${file}#/${name} }`,
    );
}
