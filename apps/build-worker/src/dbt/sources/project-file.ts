import { parse } from 'yaml';
import { z } from 'zod';
import { SyncFailure } from '../syncs/sync-outcome';
import type { ProjectFile } from './dbt-repository';

/** What a platform needs to know of `dbt_project.yml`; the rest is for dbt. */
export interface DbtProject {
  name: string;
  profile: string;
}

const NAMES = ['dbt_project.yml', 'dbt_project.yaml'];
const MAX_BYTES = 1024 * 1024;
const MAX_ALIASES = 100;

/** As dbt has names: they become names of folders. */
const NAME = /^[\p{L}_][\p{L}\p{N}_]{0,199}$/u;
const projectSchema = z.object({ name: z.string().regex(NAME), profile: z.string().min(1).max(200).nullish() });

/** @throws SyncFailure when there is no project, or one that names nothing */
export function requireProject(files: readonly ProjectFile[]): DbtProject {
  const file = files.find(({ path }) => NAMES.includes(path));
  if (!file) throw new SyncFailure('There is no dbt_project.yml in the folder of the project');
  const parsed = projectSchema.safeParse(parseYaml(file));
  if (!parsed.success) throw new SyncFailure(`${file.path} does not name the project`);
  return { name: parsed.data.name, profile: parsed.data.profile ?? parsed.data.name };
}

/**
 * dbt reads and writes wherever a project tells it to.
 *
 * @throws SyncFailure for a folder that is not in the project
 */
export function requireInnerPaths(files: readonly ProjectFile[]): void {
  for (const file of files.filter(({ path }) => /(^|\/)dbt_project\.ya?ml$/.test(path))) {
    const settings = z.record(z.string(), z.unknown()).safeParse(parseYaml(file)).data ?? {};
    for (const [name, value] of Object.entries(settings)) {
      if (/[-_]paths?$/.test(name)) [value].flat().forEach((folder) => requireInner(file.path, name, folder));
    }
  }
}

function requireInner(file: string, name: string, folder: unknown): void {
  if (typeof folder !== 'string' || (!/^[/~\\]/.test(folder) && !folder.split(/[/\\]/).includes('..'))) return;
  throw new SyncFailure(`${file}: ${name} leads out of the project, to ${folder}`);
}

/** @throws SyncFailure for what is no YAML, or too large to be written by hand */
export function parseYaml({ path, content }: ProjectFile): unknown {
  if (content.length > MAX_BYTES) throw new SyncFailure(`${path} is larger than ${MAX_BYTES} bytes`);
  try {
    return parse(content.toString('utf8'), { maxAliasCount: MAX_ALIASES, logLevel: 'silent' });
  } catch (error) {
    throw new SyncFailure(`${path} is no YAML: ${(error as Error).message.split('\n')[0] ?? ''}`);
  }
}
