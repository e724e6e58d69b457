import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, taskStoreOf } from '@plinth/database';
import { CONFIG, LOGGER, METRICS } from '@plinth/host';
import { Mailer } from '@plinth/mail';
import type { Logger } from '@plinth/observability';
import { TaskRunner } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import type { NotificationConfig } from './notifications.config';
import { NotificationsRepository, type Notification } from './notifications.repository';
import { RunLetters } from './run-letters.service';
import { RunMails } from './run-mails.service';
import { RunPictures } from './run-pictures.service';
import { RunPlanner } from './run-planner.service';
import { RunsRepository, type ClaimedRun, type RunResult } from './runs.repository';

/** How long mails under way may take once the process ends. */
const FINISH_WITHIN_MS = 10_000;

/** Works on runs: plans whom to send to, draws, and sends. Each step is kept, and none is done again. */
@Injectable()
export class RunRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: TaskRunner<ClaimedRun, RunResult>;
  private readonly mailer: Mailer | undefined;
  private unsubscribe: () => void = () => undefined;

  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(CONFIG) config: NotificationConfig,
    private readonly notifications: NotificationsRepository,
    private readonly runs: RunsRepository,
    private readonly planner: RunPlanner,
    private readonly pictures: RunPictures,
    private readonly letters: RunLetters,
    private readonly mails: RunMails,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.mailer = Mailer.of(config);
    this.runner = new TaskRunner({
      kind: 'notification',
      store: taskStoreOf(database, runs),
      work: (run, signal) => this.work(run, signal),
      concurrency: config.notificationConcurrency,
      tenantConcurrency: Math.ceil(config.notificationConcurrency / 2),
      drainMs: FINISH_WITHIN_MS,
      describe: ({ id, notificationId, tenantId }) => ({ runId: id, notificationId, tenantId }),
      logger,
      metrics,
    });
  }

  onApplicationBootstrap(): void {
    this.unsubscribe = this.runs.onAdded(() => this.runner.wake());
    this.runner.start();
  }

  /** The next process goes on with what is not done. */
  async beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    await this.runner.stop();
    this.mailer?.close();
  }

  private async work(run: ClaimedRun, signal: AbortSignal): Promise<RunResult> {
    const { tenantId, deploymentId, notificationId, cause } = run;
    const notification = await this.database.transaction(tenantId, async (tx) => {
      await this.runs.start(tx, run);
      return this.notifications.find(tx, deploymentId, notificationId);
    });
    if (!notification) return { outcome: 'SKIPPED', reason: 'The notification was deleted' };
    if (!notification.sendsMail && cause !== 'PREVIEW') {
      return { outcome: 'SKIPPED', reason: 'Mails of the notification are switched off' };
    }
    if (!this.mailer) return { outcome: 'FAILED', reason: 'No mail server is configured (PLINTH_SMTP_URL)' };
    return this.deliver(this.mailer, run, notification, signal);
  }

  private async deliver(
    mailer: Mailer,
    run: ClaimedRun,
    notification: Notification,
    signal: AbortSignal,
  ): Promise<RunResult> {
    if (run.plannedAt === null) await this.planner.plan(run, mailer.sender.address, signal);
    await this.pictures.draw(run, notification, signal);
    await this.mails.send(mailer, run, await this.letters.of(run, notification), signal);
    return undefined;
  }
}
