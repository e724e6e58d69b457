import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { Database, SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { DashboardPictures } from '../pictures';
import { QueryRunner } from '@plinth/queries';
import { DeliveriesRepository, type NewPicture } from './deliveries.repository';
import type { Notification } from './notifications.repository';
import { contextName } from './run-planner.service';
import { RunSummaries } from './run-summaries.service';
import { RunsRepository, type ClaimedRun } from './runs.repository';

/** Mail servers take no more, and base64 makes it a third larger. */
const LARGEST_PICTURE_BYTES = 10 * 1_048_576;

/** Draws what the mails of a run show: once for each security context, kept until the run has ended. */
@Injectable()
export class RunPictures {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly deliveries: DeliveriesRepository,
    private readonly pictures: DashboardPictures,
    private readonly runner: QueryRunner,
    private readonly summaries: RunSummaries,
    private readonly runs: RunsRepository,
    @Inject(SecretBox) private readonly secrets: SecretBox,
  ) {}

  /** A context for which nothing can be drawn costs its recipients alone their mail. */
  async draw(run: ClaimedRun, notification: Notification, signal: AbortSignal): Promise<void> {
    const { tenantId } = run;
    const undrawn = await this.database.transaction(tenantId, (tx) => this.deliveries.undrawn(tx, run.id));
    for (const picture of undrawn) {
      signal.throwIfAborted();
      await this.drawOne(run, notification, picture, signal);
    }
  }

  private async drawOne(
    run: ClaimedRun,
    notification: Notification,
    { subjectKey, securityContext }: NewPicture,
    signal: AbortSignal,
  ): Promise<void> {
    const { tenantId, deploymentId } = run;
    const { dashboardId, format, filters, timeGrains, memberSwitchers } = notification;
    try {
      const platform = { ...systemPrincipal(tenantId), credentialId: `notification:${run.notificationId}` };
      const viewer = {
        ...(await this.runner.callerFor(platform, deploymentId)),
        securityContext: JSON.parse(this.secrets.open(securityContext, contextName(run))) as Record<string, unknown>,
      };
      const wishes = {
        controls: { filters, timeGrains, memberSwitchers },
        locale: 'en',
        timeZone: notification.timeZone,
      };
      const scene = await this.pictures.scene(viewer, { id: dashboardId }, { ...wishes, at: run.dueAt }, { signal });
      const { bytes, contentType, title } = await this.pictures.drawScene(viewer, scene, format, { signal });
      if (bytes.length > LARGEST_PICTURE_BYTES)
        throw new AppError('request.too_large', 'The picture is too large for mail');
      const found = notification.hasAiSummary ? await this.summaries.of(run, subjectKey, scene, signal) : undefined;
      const kept = { title, contentType, content: bytes, summary: found?.summary ?? null };
      await this.database.transaction(tenantId, async (tx) => {
        await this.deliveries.keepPicture(tx, run.id, subjectKey, kept);
        if (found) await this.summaries.keep(tx, run, subjectKey, found);
        if (found?.problem != null) await this.runs.goesWithoutSummary(tx, run.id, found.problem);
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      const reason = `There is no picture: ${error.message}`;
      await this.database.transaction(tenantId, (tx) => this.deliveries.failPicture(tx, run.id, subjectKey, reason));
    }
  }
}
