import { Inject, Injectable } from '@nestjs/common';
import { InvalidPathError, normalisePath } from '@plinth/git';
import { CONFIG } from '@plinth/host';
import type { BuildWorkerConfig } from '../../build-worker.config';
import type { DataModel } from '../../data-models';
import { DbtRepository, type ProjectFile, type ProjectLimits } from '../sources/dbt-repository';
import type { DbtSource } from '../sources/dbt-source.entity';
import { requireInnerPaths, requireProject } from '../sources/project-file';
import { PROJECT_LIMITS } from '../sources/project-limits';
import { SourceAccess } from '../sources/source-access';
import { SyncFailure } from '../syncs/sync-outcome';
import { hubPackage } from './hub';
import { packagesOf, type Package } from './package-list';

/** Where dbt looks for packages. */
const FOLDER = 'dbt_packages';
const MAX_PACKAGES = 50;
const FETCH_TIMEOUT_MS = 60_000;

/** Whose packages they are. */
interface Owner {
  model: Pick<DataModel, 'git'>;
  source: DbtSource;
}

/** Called with the name of each package that is there. */
type OnPackage = (name: string) => Promise<void>;

/**
 * Does what `dbt deps` does, without running anything of the project and without its network: every package comes by the
 * rules that remote repositories and calls to others have, and credentials go to the server of the project alone.
 */
@Injectable()
export class PackageInstaller {
  constructor(
    @Inject(CONFIG) private readonly config: BuildWorkerConfig,
    private readonly repository: DbtRepository,
    private readonly access: SourceAccess,
  ) {}

  /**
   * The project with its packages.
   *
   * @throws SyncFailure and AppError `remote.*` for what cannot be installed
   */
  async install(
    { model, source }: Owner,
    project: readonly ProjectFile[],
    onPackage: OnPackage,
    signal: AbortSignal,
  ): Promise<ProjectFile[]> {
    const own = project.filter(({ path }) => !path.startsWith(`${FOLDER}/`));
    // Whoever keeps packages in the repository wants these.
    if (own.length < project.length) return [...project];
    const { packages: waiting, isLocked } = packagesOf(own);
    const all = [...own];
    const names = new Set<string>();
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      signal.throwIfAborted();
      const files = usable(await this.filesOf({ model, source }, own, next, left(all), signal));
      const { name } = requireProject(files);
      if (names.has(name)) continue;
      if (names.size >= MAX_PACKAGES) throw new SyncFailure(`The project has more than ${MAX_PACKAGES} packages`);
      names.add(name);
      const folder = `${FOLDER}/${name}/`;
      const placed = files.map(({ path, content }) => ({ path: `${folder}${path}`, content }));
      // Projects further below, such as those of its tests, are nothing to dbt.
      requireInnerPaths(placed.filter(({ path }) => !path.slice(folder.length).includes('/')));
      all.push(...placed);
      left(all);
      if (!isLocked) waiting.push(...packagesOf(files).packages.filter(({ kind }) => kind !== 'local'));
      await onPackage(name);
    }
    return all;
  }

  private async filesOf(
    { model, source }: Owner,
    own: readonly ProjectFile[],
    wanted: Package,
    limits: ProjectLimits,
    signal: AbortSignal,
  ): Promise<ProjectFile[]> {
    if (wanted.kind === 'local') return below(own, wanted.folder);
    if (wanted.kind === 'git') {
      const { url, revision: ref, folder } = wanted;
      const access = await this.access.accessOfPackage(source, url);
      return (await this.repository.read(model, access, { ref, folder }, limits, signal)).files;
    }
    const {
      gitAllowInsecureRemotes: allowInsecure,
      gitAllowPrivateRemotes: allowPrivate,
      dbtHubUrl: url,
    } = this.config;
    return hubPackage(wanted, { url, allowInsecure, allowPrivate, timeoutMs: FETCH_TIMEOUT_MS }, limits, signal);
  }
}

const below = (files: readonly ProjectFile[], folder: string): ProjectFile[] =>
  files
    .filter(({ path }) => path.startsWith(`${folder}/`))
    .map(({ path, content }) => ({ path: path.slice(folder.length + 1), content }));

/** What may still come. @throws SyncFailure when there is too much already */
function left(files: readonly ProjectFile[]): ProjectLimits {
  const bytes = PROJECT_LIMITS.bytes - files.reduce((sum, { content }) => sum + content.length, 0);
  const count = PROJECT_LIMITS.files - files.length;
  if (bytes < 0 || count < 0) {
    throw new SyncFailure(
      `With its packages the project has more than ${PROJECT_LIMITS.files} files or ${PROJECT_LIMITS.bytes} bytes`,
    );
  }
  return { files: count, bytes };
}

/** @throws SyncFailure for a name that could lead elsewhere */
function usable(files: readonly ProjectFile[]): ProjectFile[] {
  return files.map(({ path, content }) => {
    try {
      return { path: normalisePath(path), content };
    } catch (error) {
      throw error instanceof InvalidPathError ? new SyncFailure(`A package has a file ${JSON.stringify(path)}`) : error;
    }
  });
}
