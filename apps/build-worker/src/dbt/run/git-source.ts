import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { ManifestError, parseCatalog, readManifest, type Catalog } from '@plinth/dbt';
import { InvalidPathError, normalisePath } from '@plinth/git';
import { BUS, CONFIG } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { Sandbox } from '@plinth/sandbox';
import type { BuildWorkerConfig } from '../../build-worker.config';
import type { DataModel } from '../../data-models';
import { PackageInstaller } from '../packages/package-installer';
import { DbtMissing, findDbt, type DbtInstallation } from '../sandbox/dbt-installation';
import { readByDbt, type DbtAnswer } from '../sandbox/dbt-process';
import type { DbtLine } from '../sandbox/dbt-line';
import { adapterFor, isKnownAdapter, profilesOf } from '../sandbox/profiles';
import { environmentOf, type Variables } from '../sandbox/project-environment';
import { DbtRepository, type ProjectFile } from '../sources/dbt-repository';
import type { DbtSource, SourceSettings } from '../sources/dbt-source.entity';
import { requireInnerPaths, requireProject } from '../sources/project-file';
import { PROJECT_LIMITS } from '../sources/project-limits';
import { SourceAccess } from '../sources/source-access';
import { slicesOf } from '../start/manifest-store';
import { SyncFailure } from '../syncs/sync-outcome';
import type { LoadedManifest } from './loaded-manifest';
import type { SyncRun } from './sync-run';

/** Where `dbt docs generate` leaves it. */
const CATALOG = 'target/catalog.json';

/** Has dbt read the connected repository. */
@Injectable()
export class GitSource {
  private installation: Promise<DbtInstallation> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: BuildWorkerConfig,
    @Inject(BUS) private readonly bus: Bus,
    private readonly sandbox: Sandbox,
    private readonly access: SourceAccess,
    private readonly repository: DbtRepository,
    private readonly packages: PackageInstaller,
  ) {}

  /** Three phases; what is returned belongs to the next one. */
  async load(run: SyncRun, model: DataModel, source: DbtSource): Promise<() => Promise<LoadedManifest>> {
    const { settings } = source;
    const { selector = null, catalogTypes = false } = settings.options;
    const { dbt, files, catalog } = await run.phase('repo-clone', async () => {
      const dbt = await this.dbt();
      const files = await this.clone(run, model, source);
      return { dbt, files, catalog: catalogTypes ? await this.catalogOf(run, files) : undefined };
    });
    const complete = await run.phase('dbt-deps', () =>
      this.packages.install(
        { model, source },
        files,
        (name) => run.log({ level: 'info', message: `Package ${name}` }),
        run.signal,
      ),
    );
    const answer = await run.phase('dbt-compile', () => this.parse(run, dbt, complete, settings));
    return async () => {
      const { manifest, selected } = answer;
      try {
        const read = await readManifest(slicesOf(manifest), { limitBytes: manifest.length });
        return { manifest: read, catalog, ...(selected && { selected, selector: selector ?? '' }) };
      } catch (error) {
        throw error instanceof ManifestError ? new SyncFailure(error.message) : error;
      }
    };
  }

  /** Looked for once it is needed, and again as long as there is none. */
  private async dbt(): Promise<DbtInstallation> {
    this.installation ??= findDbt(this.config.dbtCommand);
    try {
      return await this.installation;
    } catch (error) {
      this.installation = undefined;
      throw error instanceof DbtMissing ? new SyncFailure(error.message) : error;
    }
  }

  private async clone(run: SyncRun, model: DataModel, source: DbtSource): Promise<ProjectFile[]> {
    const { branch, projectPath: folder } = source.settings;
    const place = { ref: run.sync.gitRef ?? branch, folder };
    const access = await this.access.accessOf(source);
    const { ref, commit, files, links } = await this.repository.read(model, access, place, PROJECT_LIMITS, run.signal);
    await run.log({ level: 'info', message: `${ref} is at ${commit} and has ${files.length} files` });
    if (links.length > 0) await run.log({ level: 'info', message: `${links.length} symbolic links are left out` });
    requireInnerPaths(files);
    return files.map(({ path, content }) => ({ path: usablePath(path), content }));
  }

  /** What a project without a catalog does without is told by its log. */
  private async catalogOf(run: SyncRun, files: readonly ProjectFile[]): Promise<Catalog | undefined> {
    const file = files.find(({ path }) => path === CATALOG);
    if (file) return readCatalog(file);
    await run.log({ level: 'info', message: `There is no ${CATALOG}: types follow declarations and names` });
    return undefined;
  }

  private async parse(
    run: SyncRun,
    dbt: DbtInstallation,
    files: readonly ProjectFile[],
    settings: SourceSettings,
  ): Promise<DbtAnswer> {
    const { tenantId, deploymentId } = run.sync;
    const { variables } = await this.bus.ask('describeEngineSettings', systemPrincipal(tenantId), { deploymentId });
    const order = {
      files,
      profiles: profilesOf({ profile: requireProject(files).profile, ...targetOf(settings, variables, dbt) }),
      target: settings.targetName,
      selector: settings.options.selector ?? null,
      environment: environmentOf(variables, settings.variables),
    };
    const { dbtTimeoutMs: wallMs, dbtMemoryMb: memoryMb } = this.config;
    const lines = new LineBuffer(run);
    try {
      const watch = { signal: run.signal, onLine: (line: DbtLine) => lines.add(line) };
      return await readByDbt(this.sandbox, dbt, order, { wallMs, memoryMb }, watch);
    } finally {
      if (!run.signal.aborted) await lines.flush();
    }
  }
}

/** @throws SyncFailure for what is none */
function readCatalog({ path, content }: ProjectFile): Catalog {
  try {
    return parseCatalog(JSON.parse(content.toString('utf8')));
  } catch (error) {
    throw new SyncFailure(error instanceof ManifestError ? error.message : `${path} is no JSON`);
  }
}

/** @throws SyncFailure when there is no adapter */
function targetOf(settings: SourceSettings, variables: Variables, { adapters, version }: DbtInstallation) {
  const type = variables['CUBEJS_DB_TYPE'];
  const adapter = settings.adapter ?? adapterFor(type);
  if (adapter === undefined || !isKnownAdapter(adapter)) {
    throw new SyncFailure(
      `There is no dbt adapter for ${settings.adapter ?? type}: set one that is known, or send a manifest`,
    );
  }
  if (!adapters.includes(adapter)) {
    throw new SyncFailure(`dbt ${version} has no adapter ${adapter} here: install dbt-${adapter} on the build workers`);
  }
  const database = settings.targetDatabase ?? variables['CUBEJS_DB_NAME'] ?? 'database';
  return { adapter, name: settings.targetName, database, schema: settings.targetSchema };
}

function usablePath(path: string): string {
  try {
    return normalisePath(path);
  } catch (error) {
    throw error instanceof InvalidPathError ? new SyncFailure(error.message) : error;
  }
}

const LINES_AT_ONCE = 50;

/** Writes lines of dbt in the order in which they come, some at a time. */
class LineBuffer {
  private lines: DbtLine[] = [];
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly run: SyncRun) {}

  add(line: DbtLine): void {
    this.lines.push(line);
    if (this.lines.length >= LINES_AT_ONCE) this.writing = this.flush();
  }

  /** Lines that cannot be written are lost, the run is not. */
  async flush(): Promise<void> {
    const lines = this.lines.splice(0);
    await this.writing;
    if (lines.length === 0) return;
    const written = lines.map(({ level, message }) => ({ level, message, stream: 'stdout' as const }));
    await this.run.log(...written).catch(() => undefined);
  }
}
