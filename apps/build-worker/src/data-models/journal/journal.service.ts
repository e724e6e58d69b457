import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { RefMovedError, RepositoryNotFoundError, type RefUpdate } from '@plinth/git';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import { RepositoriesService, type DataModel } from '../repositories/repositories.service';
import { EffectApplier } from './effect-applier';
import { GitJournal, type PlannedWrite } from './git-journal';
import { carries, toChange } from './reference-state';
import type { WriteEffects } from './write-effects';
import { WriteTurns } from './write-turns';

/** A write whose objects exist: which references are to move, what follows from it, and what the client is told. */
export interface BranchWrite<Reply> {
  updates: readonly RefUpdate[];
  effects: WriteEffects;
  reply: Reply;
}

const ATTEMPTS = 8;
const BACKOFF_MS = 25;
const RECOVERY_EVERY_MS = 30_000;

/** The one way to move references of data models: on the newest heads, journalled, and again when they have moved. */
@Injectable()
export class JournalService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly journal: GitJournal<WriteEffects>;
  private readonly recovery: WakeableLoop;

  constructor(
    @Inject(Database) database: Database,
    private readonly turns: WriteTurns,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly repositories: RepositoriesService,
    effects: EffectApplier,
  ) {
    this.journal = new GitJournal<WriteEffects>(database, {
      isApplied: ({ tenantId, deploymentId, refs }) => this.isApplied(tenantId, deploymentId, refs),
      settle: async (tx, { details, deploymentId, refs }) => {
        await effects.apply(tx, details);
        await effects.passOn(tx, deploymentId, refs);
      },
    });
    this.recovery = new WakeableLoop(() => this.recover(), {
      name: 'look for unfinished writes',
      everyMs: RECOVERY_EVERY_MS,
      logger,
    });
  }

  /**
   * Plans a write on the newest heads and carries it out; plans it anew while others are faster.
   *
   * @throws AppError `branch.moved` (409) when others were faster every time, and what `plan` throws
   */
  async write<Reply>(
    principal: Principal,
    deploymentId: number,
    plan: () => Promise<{ model: DataModel; write: BranchWrite<Reply> }>,
  ): Promise<Reply> {
    const prepare = async (): Promise<PlannedWrite<Reply, WriteEffects>> => {
      const { model, write } = await plan();
      return plannedOf(model, write);
    };
    for (let tries = 1; ; tries++) {
      try {
        return await this.turns.run(principal, deploymentId, () => this.journal.run(principal, prepare));
      } catch (error) {
        if (!(error instanceof RefMovedError)) throw error;
        if (tries === ATTEMPTS) throw moved(error);
        await delay(Math.random() * BACKOFF_MS * tries);
      }
    }
  }

  onApplicationBootstrap(): void {
    this.recovery.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.recovery.stop();
  }

  private async isApplied(
    tenantId: number,
    deploymentId: number,
    refs: Parameters<typeof carries>[1],
  ): Promise<boolean> {
    try {
      const { git } = await this.repositories.openExisting(tenantId, deploymentId);
      return await carries(git, refs);
    } catch (error) {
      if (error instanceof RepositoryNotFoundError) return false;
      throw error;
    }
  }

  private async recover(): Promise<void> {
    const count = await this.journal.recover();
    if (count > 0) this.logger.info({ count }, 'closed writes of processes that are gone');
  }
}

const plannedOf = <Reply>(
  { git, settings }: DataModel,
  { updates, effects, reply }: BranchWrite<Reply>,
): PlannedWrite<Reply, WriteEffects> => ({
  deploymentId: settings.deploymentId,
  refs: updates.map(toChange),
  details: effects,
  reply,
  applyRefs: async () => {
    if (updates.length > 0) await git.updateRefs(updates);
  },
});

const moved = (cause: RefMovedError): AppError =>
  new AppError('branch.moved', 'The branch is being changed by others all the time; try again', { cause });
