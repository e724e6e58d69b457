import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@plinth/database';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import { NotificationsRepository } from './notifications.repository';
import { RunsRepository } from './runs.repository';
import { nextRun } from './schedule';
import { SchedulerAlarm } from './scheduler-alarm';

const LOOK_EVERY_MS = 10_000;
const SHORTEST_PAUSE_MS = 100;
const AT_ONCE = 100;
const CLEAN_EVERY_MS = 3_600_000;
const CLEAN_AT_ONCE = 500;

/**
 * Makes a run of each notification whose time has come. Any number of processes do so: who locks the row makes the run and
 * sets the next time in one transaction, by the clock of the database. Times that were missed are one run.
 */
@Injectable()
export class Scheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: WakeableLoop;
  private readonly cleaning: WakeableLoop;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly notifications: NotificationsRepository,
    private readonly runs: RunsRepository,
    private readonly alarm: SchedulerAlarm,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    const common = { everyMs: LOOK_EVERY_MS, logger };
    this.loop = new WakeableLoop(() => this.round(), { ...common, name: 'look for notifications that are due' });
    this.cleaning = new WakeableLoop(() => this.clean(), {
      ...{ everyMs: CLEAN_EVERY_MS, firstAfterMs: CLEAN_EVERY_MS, logger },
      name: 'delete old runs of notifications',
    });
  }

  onApplicationBootstrap(): void {
    this.alarm.onRing(() => this.loop.wake());
    this.loop.start();
    this.cleaning.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([this.loop.stop(), this.cleaning.stop()]);
  }

  /** Milliseconds until the next time. */
  async round(): Promise<number | undefined> {
    while ((await this.makeRuns()) === AT_ONCE);
    const dueMs = await this.database.asSystem((tx) => this.notifications.nextDueMs(tx));
    return dueMs === undefined ? undefined : Math.max(SHORTEST_PAUSE_MS, dueMs);
  }

  private makeRuns(): Promise<number> {
    return this.database.asSystem(async (tx) => {
      const due = await this.notifications.due(tx, AT_ONCE);
      for (const { id, tenantId, deploymentId, nextRunAt: dueAt, now, ...schedule } of due) {
        await this.runs.add(tx, {
          ...{ tenantId, deploymentId, notificationId: id, dueAt },
          ...{ cause: 'SCHEDULE', requestedBy: null },
        });
        const next = nextRun(schedule, now);
        if (!next) this.logger.warn({ notificationId: id }, 'a notification never fires again and is disabled');
        await this.notifications.setNextRun(tx, id, next ?? null);
      }
      return due.length;
    });
  }

  private async clean(): Promise<void> {
    while ((await this.database.asSystem((tx) => this.runs.deleteOld(tx, CLEAN_AT_ONCE))) === CLEAN_AT_ONCE);
  }
}
