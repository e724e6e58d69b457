import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

const MODEL = join(__dirname, 'model');

/** A file of the sample's data model, with its path from the root of the model. */
export interface SampleFile {
  path: string;
  content: string;
}

/**
 * SQL that makes the shop's tables in an empty schema of PostgreSQL and fills them: about 100,000 rows, the same everywhere.
 * It is one text of several statements.
 */
export const sampleShopSql = (): Promise<string> => readFile(join(__dirname, 'shop.sql'), 'utf8');

/** The data model of the shop: cubes of its tables, and the view `sales`. */
export async function sampleShopModel(): Promise<SampleFile[]> {
  const entries = await readdir(MODEL, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: ['model', ...relative(MODEL, path).split(sep)].join('/'),
      content: await readFile(path, 'utf8'),
    })),
  );
}
