import { Inject, Injectable } from '@nestjs/common';
import { Database, taskStoreOf, UniqueViolation, type Transaction } from '@plinth/database';
import { CONFIG, BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { TaskStore } from '@plinth/tasks';
import type { BuildWorkerConfig } from '../build-worker.config';
import { BranchNotices, type BuildRequest } from '../data-models';
import { BuildsRepository, MAX_ATTEMPTS, type BuildOutcome, type ClaimedBuild } from './builds.repository';

const QUEUED = 'build-worker.build.queued';

/**
 * Builds as rows that workers claim. Every state change compares with the claim, so a worker that lost its claim changes
 * nothing; a claim is lost when it is not renewed in time.
 */
@Injectable()
export class BuildQueue implements TaskStore<ClaimedBuild, BuildOutcome> {
  readonly leaseMs: number;
  private readonly tasks: TaskStore<ClaimedBuild, BuildOutcome>;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly builds: BuildsRepository,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: Pick<BuildWorkerConfig, 'workerId'>,
    private readonly notices: BranchNotices,
  ) {
    this.tasks = taskStoreOf(database, builds);
    this.leaseMs = this.tasks.leaseMs;
    builds.onAdded(() => this.announce());
  }

  /** Queues a build in place of those of the branch that have not begun. */
  async add(tx: Transaction, build: BuildRequest): Promise<void> {
    await this.builds.cancelQueued(tx, build.deploymentId, build.branchName);
    await this.builds.insert(tx, build);
  }

  /** Wakes the workers because a build may be taken; they would find it in some seconds. */
  announce(): void {
    this.bus.publish({ topic: QUEUED, payload: {} });
  }

  onAnnounced(listener: () => void): () => void {
    return this.bus.subscribe(QUEUED, listener);
  }

  /** A build for this worker, which has to renew its claim, and of none of these tenants; undefined when nothing may run. */
  async claim(exceptTenants: readonly number[] = []): Promise<ClaimedBuild | undefined> {
    try {
      return await this.database.asSystem(async (tx) => {
        await this.builds.failExhausted(tx, `The build was interrupted ${MAX_ATTEMPTS} times`);
        return this.builds.claimFor(tx, this.config.workerId, exceptTenants);
      });
    } catch (error) {
      // Another worker took a build of the same deployment first; another may be left.
      if (UniqueViolation.from(error)) return this.claim(exceptTenants);
      throw error;
    }
  }

  renew(build: ClaimedBuild): Promise<boolean> {
    return this.tasks.renew(build);
  }

  /** The next build of the deployment may begin. */
  async finish(build: ClaimedBuild, outcome: BuildOutcome): Promise<boolean> {
    const held = await this.tasks.finish(build, outcome);
    this.announce();
    this.notices.changed(build.deploymentId);
    return held;
  }

  fail(build: ClaimedBuild, error: unknown): Promise<boolean> {
    return this.tasks.fail(build, error);
  }

  async release(build: ClaimedBuild): Promise<boolean> {
    const held = await this.tasks.release(build);
    this.announce();
    return held;
  }

  nextDueMs(): Promise<number | undefined> {
    return this.tasks.nextDueMs();
  }

  countWaiting(): Promise<number> {
    return this.tasks.countWaiting();
  }

  /** Builds that wait and how long the oldest has. */
  waiting(): Promise<{ queued: number; oldestSeconds: number }> {
    return this.database.asSystem((tx) => this.builds.countQueued(tx));
  }
}
