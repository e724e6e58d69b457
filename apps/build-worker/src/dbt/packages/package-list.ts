import { posix } from 'node:path';
import { z } from 'zod';
import type { ProjectFile } from '../sources/dbt-repository';
import { parseYaml } from '../sources/project-file';
import { SyncFailure } from '../syncs/sync-outcome';

/** Where a package of a dbt project comes from. */
export type Package =
  | { kind: 'local'; folder: string }
  | { kind: 'git'; url: string; revision: string | null; folder: string }
  | { kind: 'hub'; name: string; version: string };

const LOCK = 'package-lock.yml';
const LISTS = ['packages.yml', 'dependencies.yml'];
/** Of one list. */
const MAX_PACKAGES = 50;
const HUB_NAME = /^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/;
const EXACT = /^[=v]*(\d+\.\d+\.\d+[A-Za-z0-9.+-]*)$/;

const text = z.string().min(1).max(2_000);
const entrySchema = z.looseObject({
  local: text.optional(),
  git: text.optional(),
  package: text.optional(),
  revision: z.union([text, z.number(), z.array(z.unknown())]).optional(),
  subdirectory: text.optional(),
  version: z.union([text, z.number(), z.array(z.unknown())]).optional(),
});
const listSchema = z.looseObject({ packages: z.array(entrySchema).nullish() }).nullish();

type Entry = z.infer<typeof entrySchema>;

/**
 * The packages that a project names: those of its lock file, which names the packages of packages as well, otherwise its own.
 *
 * @throws SyncFailure for what cannot be installed, with what can be done
 */
export function packagesOf(files: readonly ProjectFile[]): { packages: Package[]; isLocked: boolean } {
  const lock = files.find(({ path }) => path === LOCK);
  const lists = lock ? [lock] : files.filter(({ path }) => LISTS.includes(path));
  const entries = lists.flatMap((file) => {
    const parsed = listSchema.safeParse(parseYaml(file));
    if (!parsed.success) throw new SyncFailure(`${file.path} is no list of packages`);
    return parsed.data?.packages ?? [];
  });
  if (entries.length > MAX_PACKAGES) throw new SyncFailure(`The project has more than ${MAX_PACKAGES} packages`);
  return { packages: entries.map(packageOf), isLocked: lock !== undefined };
}

function packageOf(entry: Entry): Package {
  const { local, git, package: name, revision, subdirectory = '.', version } = entry;
  if (local !== undefined) return { kind: 'local', folder: innerFolder(local) };
  if (git !== undefined) {
    requirePlain(git);
    return { kind: 'git', url: git, revision: revisionOf(revision), folder: innerFolder(subdirectory) };
  }
  if (name !== undefined && HUB_NAME.test(name)) return { kind: 'hub', name, version: versionOf(name, version) };
  const what = name ?? Object.keys(entry).join(', ');
  throw new SyncFailure(
    `Packages of this kind cannot be installed: ${what}. Use hub packages, git, or folders of the project`,
  );
}

/** @throws SyncFailure for a folder that is not in the project */
function innerFolder(path: string): string {
  requirePlain(path);
  const folder = posix.normalize(path.replaceAll('\\', '/')).replace(/\/$/, '');
  if (!folder.startsWith('/') && folder !== '..' && !folder.startsWith('../')) return folder;
  throw new SyncFailure(`The package ${path} lies outside of the project`);
}

/** @throws SyncFailure for a template: what it would become could be a secret */
function requirePlain(value: string): void {
  if (/\{[{%]/.test(value)) throw new SyncFailure(`The package ${value} is a template: write the address out`);
}

function revisionOf(revision: Entry['revision']): string | null {
  const [first] = [revision].flat();
  return first === undefined ? null : String(first);
}

function versionOf(name: string, version: Entry['version']): string {
  const versions = [version].flat();
  const [, exact] = versions.length === 1 ? (EXACT.exec(String(versions[0])) ?? []) : [];
  if (exact !== undefined) return exact;
  throw new SyncFailure(
    `The package ${name} has no exact version: run dbt deps and commit package-lock.yml, or name one version`,
  );
}
