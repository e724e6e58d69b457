import { Inject, Injectable } from '@nestjs/common';
import { Database, UniqueViolation, type Transaction } from '@plinth/database';
import { CONFIG, BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { BuildWorkerConfig } from '../build-worker.config';
import type { BuildRequest } from '../data-models';
import { BuildsRepository, MAX_ATTEMPTS, type ClaimedBuild } from './builds.repository';

const QUEUED = 'build-worker.build.queued';

export interface BuildOutcome {
  status: 'built' | 'failed';
  errorText: string | null;
}

/**
 * Builds as rows that workers claim. Every state change compares with the state before, so a worker that lost its
 * claim changes nothing; a claim is lost when it is not renewed in time.
 */
@Injectable()
export class BuildQueue {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly builds: BuildsRepository,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: Pick<BuildWorkerConfig, 'workerId'>,
  ) {}

  /** Queues a build in place of those of the branch that have not begun. */
  async add(tx: Transaction, build: BuildRequest): Promise<void> {
    await this.builds.cancelQueued(tx, build.deploymentId, build.branchName);
    await this.builds.insert(tx, build);
  }

  /** Wakes the workers once a transaction that added a build has committed; they would find it within a second. */
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
        return this.builds.claim(tx, this.config.workerId, exceptTenants);
      });
    } catch (error) {
      // Another worker took a build of the same deployment first.
      if (UniqueViolation.from(error)) return undefined;
      throw error;
    }
  }

  renew(claim: ClaimedBuild): Promise<boolean> {
    return this.database.asSystem((tx) => this.builds.renew(tx, claim));
  }

  finish(claim: ClaimedBuild, outcome: BuildOutcome): Promise<boolean> {
    return this.database.asSystem((tx) => this.builds.finish(tx, claim, outcome));
  }

  async release(claim: ClaimedBuild): Promise<void> {
    await this.database.asSystem((tx) => this.builds.release(tx, claim));
    this.announce();
  }

  waiting(): Promise<{ queued: number; oldestSeconds: number }> {
    return this.database.asSystem((tx) => this.builds.countWaiting(tx));
  }
}
