import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { parse } from 'yaml';

import { root } from './paths.mjs';

/** Throws when a schema file holds a schema that no operation reaches: the bundler drops those in silence. */
export async function refuseUnusedSchemas(...documents) {
  const used = new Set(documents.flatMap((document) => Object.keys(document.components.schemas)));
  const folder = join(root, 'openapi/schemas');
  const files = await readdir(folder);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const unused = texts.flatMap((text) => Object.keys(parse(text))).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`No operation uses the schemas ${unused.join(', ')}`);
}
