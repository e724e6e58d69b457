import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RepositoryNotFoundError } from '@plinth/git';
import { CONFIG, LOGGER } from '@plinth/host';
import { failpoint, type Logger } from '@plinth/observability';
import type { BuildWorkerConfig } from '../build-worker.config';
import { CompilerUnavailable, DataModelCompiler, errorTextOf } from '../compilation';
import { RepositoriesService } from '../data-models';
import { BuildMetrics } from './build-metrics';
import { BuildQueue, type BuildOutcome } from './build-queue';
import type { ClaimedBuild } from './builds.repository';
import { throughOutages } from './through-outages';

const POLL_MS = 1_000;
const RENEW_MS = 3_000;
/** How long a worker that stops waits for its builds before it gives them back. */
const FINISH_WITHIN_MS = 5_000;

/** Claims builds and runs them, as many at a time as the compiler takes. */
@Injectable()
export class BuildRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly running = new Map<ClaimedBuild, Promise<void>>();
  private looking: Promise<void> | undefined;
  private lookAgain = false;
  private stopping = false;
  private timer: NodeJS.Timeout | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly queue: BuildQueue,
    private readonly repositories: RepositoriesService,
    private readonly compiler: DataModelCompiler,
    private readonly metrics: BuildMetrics,
    @Inject(CONFIG) private readonly config: Pick<BuildWorkerConfig, 'compilerPoolSize'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
    this.unsubscribe = this.queue.onAnnounced(() => this.wake());
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    this.unsubscribe();
    await this.looking;
    await withDeadline(Promise.all(this.running.values()), FINISH_WITHIN_MS);
    await Promise.all([...this.running.keys()].map((build) => this.giveBack(build)));
  }

  /** Looks for builds now; called while it looks, it looks once more. */
  private wake(): void {
    this.lookAgain = true;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
  }

  private async look(): Promise<void> {
    while (this.lookAgain && !this.stopping && this.running.size < this.config.compilerPoolSize) {
      this.lookAgain = false;
      const build = await this.queue.claim(this.busyTenants()).catch((error: unknown) => {
        this.logger.warn({ err: error }, 'could not look for builds');
        return undefined;
      });
      if (!build) continue;
      this.lookAgain = true;
      this.start(build);
    }
  }

  /** Tenants that take no further place here, as the compiler would let none of them have its last slot. */
  private busyTenants(): number[] {
    const room = Math.max(1, this.config.compilerPoolSize - 1);
    const tenants = [...this.running.keys()].map(({ tenantId }) => tenantId);
    return [...new Set(tenants)].filter((tenant) => tenants.filter((each) => each === tenant).length >= room);
  }

  private start(build: ClaimedBuild): void {
    this.metrics.claimed(build.attempts);
    const run = this.run(build)
      .catch((error: unknown) => this.logger.warn({ err: error, buildId: build.id }, 'a build could not be concluded'))
      .finally(() => {
        this.running.delete(build);
        this.metrics.released();
        this.wake();
      });
    this.running.set(build, run);
  }

  private async run(build: ClaimedBuild): Promise<void> {
    const startedAt = performance.now();
    const mayWait = (): boolean => !this.stopping;
    const lease = setInterval(() => void this.renew(build), RENEW_MS).unref();
    try {
      failpoint('build.after-claim');
      const outcome = await throughOutages(() => this.build(build), mayWait);
      failpoint('build.before-finish');
      if (!outcome) return await this.giveBack(build);
      if (!(await throughOutages(() => this.queue.finish(build, outcome), mayWait))) return;
      this.metrics.finished(outcome.status, (performance.now() - startedAt) / 1000);
      this.logger.info(
        { buildId: build.id, deploymentId: build.deploymentId, status: outcome.status },
        'build finished',
      );
    } finally {
      clearInterval(lease);
    }
  }

  /**
   * Undefined when the build was interrupted by the end of this worker and says nothing about the model. A compiler that
   * cannot be run otherwise is thrown: the claim runs out, and the build is tried again, a limited number of times.
   */
  private async build({ tenantId, deploymentId, commitHash }: ClaimedBuild): Promise<BuildOutcome | undefined> {
    try {
      const model = await this.repositories.openExisting(tenantId, deploymentId);
      const { valid, errors } = await this.compiler.compile(model, commitHash, 'shared');
      return valid ? { status: 'built', errorText: null } : { status: 'failed', errorText: errorTextOf(errors) };
    } catch (error) {
      if (error instanceof CompilerUnavailable && this.stopping) return undefined;
      if (error instanceof RepositoryNotFoundError) return { status: 'failed', errorText: 'The data model is gone' };
      throw error;
    }
  }

  /** A claim that could not be renewed ends by itself; the result is then refused. */
  private async renew(build: ClaimedBuild): Promise<void> {
    await this.queue.renew(build).catch((error: unknown) => {
      this.logger.warn({ err: error, buildId: build.id }, 'a claim could not be renewed');
    });
  }

  private async giveBack(build: ClaimedBuild): Promise<void> {
    await this.queue.release(build).catch((error: unknown) => {
      this.logger.warn({ err: error, buildId: build.id }, 'a build could not be given back');
    });
  }
}

async function withDeadline(work: Promise<unknown>, milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, deadline]);
  clearTimeout(timer);
}
