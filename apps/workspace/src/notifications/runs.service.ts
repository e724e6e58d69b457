import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { mailAddress } from '@plinth/mail';
import { ContentRights } from '../content';
import { NotificationsService } from './notifications.service';
import { RunsRepository, type RunCause, type RunRow } from './runs.repository';

/** When notifications ran, and runs that people ask for. */
@Injectable()
export class RunsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly notifications: NotificationsService,
    private readonly runs: RunsRepository,
  ) {}

  async list(
    principal: Principal,
    deploymentId: number,
    notificationId: number,
    query: QueryOf<'getNotificationRuns'>,
  ): Promise<ReplyOf<'getNotificationRuns'>> {
    await this.rights.viewerOf(principal, deploymentId);
    const { items, pageInfo } = await keysetList(query, {
      name: 'notification-runs',
      filters: { notificationId },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, async (tx) => {
          await this.notifications.require(tx, deploymentId, notificationId);
          return this.runs.list(tx, notificationId, limit, beforeId);
        }),
    });
    return { items: items.map(dtoOf), pageInfo };
  }

  /** @throws AppError `notification.disabled` and `notification.run_pending` (409) */
  runNow(principal: Principal, deploymentId: number, notificationId: number): Promise<Schemas['NotificationRun']> {
    return this.request(principal, deploymentId, notificationId, 'REQUEST');
  }

  /** @throws AppError `notification.run_pending` (409), `request.invalid` (400) for a caller without an address */
  async preview(
    principal: Principal,
    deploymentId: number,
    notificationId: number,
  ): Promise<Schemas['NotificationRun']> {
    const { userId, email } = principal;
    if (userId === null || email === null || mailAddress(email) === undefined) {
      throw invalidRequest('/path/id', 'cannot be previewed: the caller has no address for mail');
    }
    return this.request(principal, deploymentId, notificationId, 'PREVIEW');
  }

  private async request(
    principal: Principal,
    deploymentId: number,
    notificationId: number,
    cause: Exclude<RunCause, 'SCHEDULE'>,
  ): Promise<Schemas['NotificationRun']> {
    await this.rights.viewerOf(principal, deploymentId);
    const { tenantId, userId: requestedBy } = principal;
    return this.database.mutate(principal, async (tx) => {
      const { isEnabled } = await this.notifications.require(tx, deploymentId, notificationId, true);
      if (cause === 'REQUEST' && !isEnabled) {
        throw new AppError('notification.disabled', 'The notification is disabled, so that it does not run');
      }
      const dueAt = new Date();
      const id = await this.runs.add(tx, { tenantId, deploymentId, notificationId, cause, requestedBy, dueAt });
      if (id === undefined) {
        throw new AppError('notification.run_pending', 'A run that somebody asked for before is not done');
      }
      return dtoOf(await this.runs.find(tx, id));
    });
  }
}

const dtoOf = (run: RunRow): Schemas['NotificationRun'] => ({
  id: run.id,
  notificationId: run.notificationId,
  cause: run.cause,
  dueAt: run.dueAt.toISOString(),
  startedAt: run.startedAt?.toISOString() ?? null,
  endedAt: run.endedAt?.toISOString() ?? null,
  outcome: run.outcome,
  reason: run.reason,
  summaryProblem: run.summaryProblem,
  subjects: run.subjects,
  recipients: { planned: run.planned, delivered: run.delivered, failed: run.failed, waiting: run.waiting },
});
