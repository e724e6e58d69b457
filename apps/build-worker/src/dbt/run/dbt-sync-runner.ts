import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@plinth/database';
import { convertManifest, NoModelMatched, type Conversion, type ConversionContext, type Manifest } from '@plinth/dbt';
import { RepositoryNotFoundError } from '@plinth/git';
import { BUS, LOGGER, METRICS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { TaskRunner, throughOutages } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import { type DataModel, RepositoriesService } from '../../data-models';
import { DbtSourcesRepository } from '../sources/dbt-sources.repository';
import { conversionOptionsOf, DEFAULT_SETTINGS } from '../sources/source-settings';
import type { DbtSource } from '../sources/dbt-source.entity';
import { DbtSyncLogsRepository } from '../syncs/dbt-sync-logs.repository';
import { DbtSyncQueue } from '../syncs/dbt-sync-queue';
import type { SyncDetails, SyncStats } from '../syncs/dbt-sync.entity';
import { DbtSyncsRepository, type ClaimedSync } from '../syncs/dbt-syncs.repository';
import { CANCELLED } from '../syncs/dbt-syncs.service';
import { SyncFailure, type SyncOutcome } from '../syncs/sync-outcome';
import { CubeWriter } from './cube-writer';
import { GitSource } from './git-source';
import type { LoadedManifest } from './loaded-manifest';
import { ManifestSource } from './manifest-source';
import { ModelCheck } from './model-check';
import { PhaseFailure, SyncRun } from './sync-run';

const REQUESTED = 'build-worker.dbt-sync.requested';
const AT_ONCE = 2;
const MAX_SKIPPED = 500;
const MAX_WARNINGS = 200;

/** Claims runs and carries them out. */
@Injectable()
export class DbtSyncRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: TaskRunner<ClaimedSync, SyncOutcome>;
  private subscriptions: (() => void)[] = [];

  constructor(
    private readonly queue: DbtSyncQueue,
    @Inject(Database) private readonly database: Database,
    private readonly syncs: DbtSyncsRepository,
    private readonly logs: DbtSyncLogsRepository,
    private readonly sources: DbtSourcesRepository,
    private readonly repositories: RepositoriesService,
    private readonly manifests: ManifestSource,
    private readonly repository: GitSource,
    private readonly writer: CubeWriter,
    private readonly check: ModelCheck,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.tasks = new TaskRunner({
      kind: 'dbt-sync',
      store: queue,
      work: (sync, signal) => this.carryOut(sync, signal),
      concurrency: AT_ONCE,
      tenantConcurrency: 1,
      // Another worker begins it again.
      drainMs: 0,
      describe: ({ jobId, deploymentId }) => ({ syncJobId: jobId, deploymentId }),
      logger,
      metrics,
    });
  }

  onApplicationBootstrap(): void {
    this.subscriptions = [
      this.syncs.onAdded(() => this.bus.publish({ topic: REQUESTED, payload: {} })),
      this.bus.subscribe(REQUESTED, () => this.tasks.wake()),
      this.bus.subscribe(CANCELLED, () => this.tasks.recheck()),
    ];
    this.tasks.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    for (const unsubscribe of this.subscriptions) unsubscribe();
    return this.tasks.stop();
  }

  private async carryOut(sync: ClaimedSync, signal: AbortSignal): Promise<SyncOutcome> {
    const { database, syncs, logs } = this;
    const run = new SyncRun(sync, signal, { database, syncs, logs });
    try {
      return await throughOutages(() => this.run(run), signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof PhaseFailure) return { status: 'FAILED', error: error.message, phase: error.phase };
      if (error instanceof RepositoryNotFoundError) {
        return { status: 'FAILED', error: 'The data model is gone', phase: null };
      }
      throw error;
    }
  }

  private async run(run: SyncRun): Promise<SyncOutcome> {
    const { tenantId, deploymentId } = run.sync;
    const model = await this.repositories.openExisting(tenantId, deploymentId);
    const source = await this.database.transaction(tenantId, (tx) => this.sources.find(tx, deploymentId));
    const { settings } = source ?? { settings: DEFAULT_SETTINGS };
    const options = conversionOptionsOf(settings);
    const loaded = await this.load(run, model, source);
    const conversion = await run.phase('manifest', async () => {
      const { manifest, ...context } = await loaded();
      const made = converted(manifest, options, context);
      run.stats = statsOf(made);
      await run.log({ level: 'info', message: summaryOf(made) });
      return made;
    });
    const written = await run.phase('write', () => this.writer.write(model, run.sync, conversion, options));
    const difference = await run.phase('finalise', () => this.check.compare(model, written));
    return { status: 'COMPLETED', commit: written.commit, details: detailsOf(conversion, difference) };
  }

  /** What is left for the phase `manifest`. */
  private async load(run: SyncRun, model: DataModel, source: DbtSource | null): Promise<() => Promise<LoadedManifest>> {
    if (run.sync.source === 'manifest') return () => this.manifests.load(model, run.sync);
    if (source) return this.repository.load(run, model, source);
    return run.phase('repo-clone', async () => Promise.reject(new SyncFailure('The dbt project was disconnected')));
  }
}

/** @throws SyncFailure when no model is chosen */
function converted(
  manifest: Manifest,
  options: Parameters<typeof convertManifest>[1],
  context: ConversionContext,
): Conversion {
  try {
    return convertManifest(manifest, options, context);
  } catch (error) {
    throw error instanceof NoModelMatched ? new SyncFailure(error.message) : error;
  }
}

const statsOf = ({ cubes, files, stats }: Conversion): SyncStats => ({
  cubeCount: cubes,
  generatedFileCount: files.length,
  models: stats.models,
  sources: stats.sources,
  macros: stats.macros,
  dbtVersion: stats.dbtVersion ?? null,
  manifestGeneratedAt: stats.generatedAt ?? null,
});

const summaryOf = ({ cubes, measures, joins, skipped, stats }: Conversion): string =>
  `${stats.models} models made ${cubes} cubes with ${measures} measures and ${joins} joins; ${skipped.length} things were skipped`;

const detailsOf = (
  { files, measures, joins, skipped, warnings }: Conversion,
  difference: SyncDetails['difference'],
): SyncDetails => ({
  paths: files.map(({ path }) => path),
  measures,
  joins,
  skipped: skipped.slice(0, MAX_SKIPPED),
  warnings: warnings.slice(0, MAX_WARNINGS),
  difference: difference ?? null,
});
