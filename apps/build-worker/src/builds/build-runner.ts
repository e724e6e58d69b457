import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RepositoryNotFoundError } from '@plinth/git';
import { CONFIG, LOGGER, METRICS } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { TaskRunner, throughOutages } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import type { BuildWorkerConfig } from '../build-worker.config';
import { DataModelCompiler, errorTextOf } from '../compilation';
import { RepositoriesService } from '../data-models';
import { BuildMetrics } from './build-metrics';
import { BuildQueue } from './build-queue';
import type { BuildOutcome, ClaimedBuild } from './builds.repository';

/** How long a worker that stops waits for its builds before it gives them back. */
const FINISH_WITHIN_MS = 5_000;

/** Claims builds and runs them, as many at a time as the compiler takes. */
@Injectable()
export class BuildRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly tasks: TaskRunner<ClaimedBuild, BuildOutcome>;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly queue: BuildQueue,
    private readonly repositories: RepositoriesService,
    private readonly compiler: DataModelCompiler,
    private readonly metrics: BuildMetrics,
    @Inject(CONFIG) { compilerPoolSize }: Pick<BuildWorkerConfig, 'compilerPoolSize'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    this.tasks = new TaskRunner({
      kind: 'build',
      store: queue,
      work: (build, signal) => this.run(build, signal),
      concurrency: compilerPoolSize,
      // As the compiler would let no tenant have its last slot.
      tenantConcurrency: Math.max(1, compilerPoolSize - 1),
      drainMs: FINISH_WITHIN_MS,
      onFinished: (build, outcome, seconds) => this.finished(build, outcome, seconds),
      describe: ({ id, deploymentId }) => ({ buildId: id, deploymentId }),
      logger,
      metrics: registry,
    });
  }

  onApplicationBootstrap(): void {
    this.unsubscribe = this.queue.onAnnounced(() => this.tasks.wake());
    this.tasks.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    return this.tasks.stop();
  }

  private async run(build: ClaimedBuild, signal: AbortSignal): Promise<BuildOutcome> {
    this.metrics.claimed(build.attempts);
    try {
      // A compilation heeds no signal, but nobody has to wait for it.
      return await Promise.race([throughOutages(() => this.build(build), signal), aborted(signal)]);
    } finally {
      this.metrics.released();
    }
  }

  /**
   * A compiler that cannot be run is thrown and says nothing about the model: the claim runs out, and the build is tried
   * again, a limited number of times.
   */
  private async build({ tenantId, deploymentId, commitHash }: ClaimedBuild): Promise<BuildOutcome> {
    try {
      const model = await this.repositories.openExisting(tenantId, deploymentId);
      const { valid, errors } = await this.compiler.compile(model, commitHash, 'shared');
      return valid ? { status: 'built', errorText: null } : { status: 'failed', errorText: errorTextOf(errors) };
    } catch (error) {
      if (error instanceof RepositoryNotFoundError) return { status: 'failed', errorText: 'The data model is gone' };
      throw error;
    }
  }

  private finished({ id, deploymentId }: ClaimedBuild, { status }: BuildOutcome, seconds: number): void {
    this.metrics.finished(status, seconds);
    this.logger.info({ buildId: id, deploymentId, status }, 'build finished');
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const end = (): void => reject(signal.reason as Error);
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
  });
