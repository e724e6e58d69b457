import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, taskStoreOf } from '@plinth/database';
import { CONFIG, LOGGER, METRICS } from '@plinth/host';
import { runInContext, type Logger } from '@plinth/observability';
import { TaskRunner, type TaskStore } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import { DashboardPictures, Subjects, type Picture, type PictureConfig } from '../pictures';
import type { ClaimedExport } from './export-job';
import { ExportMetrics } from './export-metrics';
import { ExportProgress } from './export-progress';
import { ExportsRepository } from './exports.repository';

/** How long a process that stops goes on drawing before it gives exports back. */
const FINISH_WITHIN_MS = 5_000;
const LOCALE = 'en';

/** Exports as tasks; each look for one also removes what has expired. */
export const exportStoreOf = (database: Database, exports: ExportsRepository): TaskStore<ClaimedExport, Picture> => ({
  ...taskStoreOf(database, exports),
  claim: async (exceptTenants) => {
    await database.asSystem((tx) => exports.tidy(tx));
    return database.asSystem((tx) => exports.claimNext(tx, exceptTenants));
  },
});

/** Draws exports, as many at a time as the renderer takes. */
@Injectable()
export class ExportRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: TaskRunner<ClaimedExport, Picture>;
  private unsubscribe: () => void = () => undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly exports: ExportsRepository,
    private readonly subjects: Subjects,
    private readonly pictures: DashboardPictures,
    exportMetrics: ExportMetrics,
    @Inject(CONFIG) { pictureConcurrency: concurrency }: PictureConfig,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.tasks = new TaskRunner({
      kind: 'export',
      store: exportStoreOf(database, exports),
      work: (job, signal) => this.draw(job, signal),
      concurrency,
      // A tenant leaves a place to others.
      tenantConcurrency: Math.max(1, concurrency - 1),
      drainMs: FINISH_WITHIN_MS,
      onFinished: ({ format }, { bytes }, seconds) => exportMetrics.finished(format, seconds, bytes.length),
      describe: ({ id, deploymentId, dashboardId }) => ({ exportId: id, deploymentId, dashboardId }),
      logger,
      metrics,
    });
  }

  onApplicationBootstrap(): void {
    this.unsubscribe = this.exports.onAdded(() => this.tasks.wake());
    this.tasks.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    return this.tasks.stop();
  }

  /** As of the start of the export, so that a second attempt draws the same. */
  private draw(job: ClaimedExport, signal: AbortSignal): Promise<Picture> {
    const { id, tenantId, deploymentId, dashboardId, subject, controls, format, createdAt: at } = job;
    return runInContext({ requestId: `export-${id}`, signal }, async () => {
      const progress = new ExportProgress((percent) => this.note(job, percent));
      try {
        const viewer = await this.subjects.viewerOf(tenantId, deploymentId, subject);
        const wishes = { controls, format, locale: LOCALE, timeZone: null, at };
        const onProgress = (percent: number): void => progress.note(percent);
        return await this.pictures.draw(viewer, { id: dashboardId }, wishes, { signal, onProgress });
      } finally {
        await progress.settled();
      }
    });
  }

  /** That one cannot see how far an export is is no reason to give it up. */
  private async note(job: ClaimedExport, percent: number): Promise<void> {
    try {
      await this.database.asSystem((tx) => this.exports.progress(tx, job, percent));
    } catch (error) {
      this.logger.warn({ err: error, exportId: job.id }, 'the progress of an export could not be noted');
    }
  }
}
