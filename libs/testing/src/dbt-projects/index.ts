import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES = join(__dirname, 'files');

/** Small dbt projects over PostgreSQL: `library` has no semantic models, `bakery` those of the older form, `cycles` the newer. */
export const DBT_PROJECTS = ['library', 'bakery', 'cycles'] as const;
export type DbtProjectName = (typeof DBT_PROJECTS)[number];

export interface DbtProject {
  /** The folder of the project itself, with its `dbt_project.yml`. */
  folder: string;
  /** `target/manifest.json` as dbt wrote it, without the long parts that no conversion reads. */
  manifest: string;
  /** SQL that makes and fills the tables that the project builds, in schemas of its own name. */
  warehouseSql: string;
}

export function dbtProject(name: DbtProjectName): DbtProject {
  const folder = join(FILES, name);
  return {
    folder: join(folder, 'project'),
    manifest: readFileSync(join(folder, 'manifest.json'), 'utf8'),
    warehouseSql: readFileSync(join(folder, 'warehouse.sql'), 'utf8'),
  };
}
