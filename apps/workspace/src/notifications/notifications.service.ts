import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { ContentRights } from '../content';
import { dashboardNotFound, PublishedDashboardsRepository, requireControls, type DashboardRef } from '../pictures';
import { MailDirectory } from './mail-directory.service';
import {
  NotificationsRepository,
  type Notification,
  type NotificationFields,
  type RecipientFilter,
} from './notifications.repository';
import { inWords, nextRun, scheduleOf, type Schedule } from './schedule';
import { SchedulerAlarm } from './scheduler-alarm';

type Dto = Schemas['NotificationDto'];
type Input = BodyOf<'updateNotification'> & object;

@Injectable()
export class NotificationsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(BUS) private readonly bus: Bus,
    private readonly rights: ContentRights,
    private readonly notifications: NotificationsRepository,
    private readonly dashboards: PublishedDashboardsRepository,
    private readonly directory: MailDirectory,
    private readonly alarm: SchedulerAlarm,
  ) {}

  async list(
    principal: Principal,
    deploymentId: number,
    query: QueryOf<'getNotifications'>,
  ): Promise<ReplyOf<'getNotifications'>> {
    const { dashboardId, dashboardPublicId } = query;
    if (dashboardId !== undefined && dashboardPublicId !== undefined) {
      throw invalidRequest('/query/dashboardPublicId', 'cannot be combined with dashboardId');
    }
    const named = recipientIn(query);
    await this.rights.viewerOf(principal, deploymentId);
    const recipient = named && (await this.withUsers(principal.tenantId, named));
    const { items, pageInfo } = await keysetList(query, {
      name: 'notifications',
      filters: { deploymentId, dashboardId, dashboardPublicId, ...named },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, (tx) =>
          this.notifications.list(tx, deploymentId, { dashboardId, dashboardPublicId, recipient }, limit, beforeId),
        ),
    });
    return { items: items.map(dtoOf), pageInfo };
  }

  async create(
    principal: Principal,
    deploymentId: number,
    body: BodyOf<'createNotification'>,
  ): Promise<ReplyOf<'createNotification'>> {
    if (!body) throw invalidRequest('/body', 'is needed');
    const ref = dashboardIn(body);
    const fields = fieldsOf(body);
    await this.rights.viewerOf(principal, deploymentId);
    await this.requireModel(principal, body);
    const { tenantId, userId: createdBy } = principal;
    return this.database.mutate(principal, async (tx) => {
      const dashboard = await this.dashboards.find(tx, deploymentId, ref);
      if (!dashboard) throw dashboardNotFound();
      const made = { ...fields, tenantId, deploymentId, dashboardId: dashboard.id, createdBy };
      tx.onCommit(() => this.alarm.ring());
      return dtoOf(await this.notifications.insert(tx, made));
    });
  }

  async get(principal: Principal, deploymentId: number, id: number): Promise<Dto> {
    await this.rights.viewerOf(principal, deploymentId);
    return this.database.transaction(principal.tenantId, async (tx) => dtoOf(await this.require(tx, deploymentId, id)));
  }

  async update(
    principal: Principal,
    deploymentId: number,
    id: number,
    body: BodyOf<'updateNotification'>,
  ): Promise<ReplyOf<'updateNotification'>> {
    await this.rights.viewerOf(principal, deploymentId);
    await this.requireModel(principal, body ?? {});
    return this.database.mutate(principal, async (tx) => {
      const before = await this.require(tx, deploymentId, id, true);
      const fields = fieldsOf(body ?? {}, before);
      await this.notifications.update(tx, id, fields);
      tx.onCommit(() => this.alarm.ring());
      return dtoOf({ ...before, ...fields });
    });
  }

  async delete(principal: Principal, deploymentId: number, id: number): Promise<ReplyOf<'deleteNotification'>> {
    await this.rights.viewerOf(principal, deploymentId);
    await this.database.mutate(principal, async (tx) => {
      if (!(await this.notifications.delete(tx, deploymentId, id))) throw notificationNotFound();
      return null;
    });
    return undefined;
  }

  /** @throws AppError `notification.not_found` (404) */
  async require(tx: Transaction, deploymentId: number, id: number, lock = false): Promise<Notification> {
    const found = await this.notifications.find(tx, deploymentId, id, lock);
    if (!found) throw notificationNotFound();
    return found;
  }

  /** @throws AppError `notification.no_model_provider` (400) */
  private async requireModel({ tenantId }: Principal, { notificationAiSummary }: Input): Promise<void> {
    if (notificationAiSummary !== true) return;
    const { isSet } = await this.bus.ask('describeAiProvider', systemPrincipal(tenantId), {});
    if (isSet) return;
    const message = 'There is no model provider that could write the summary of notificationAiSummary';
    throw new AppError('notification.no_model_provider', message);
  }

  private async withUsers(tenantId: number, named: RecipientFilter): Promise<RecipientFilter> {
    if (named.email === undefined) return named;
    const { users } = await this.directory.users(tenantId, { emails: [named.email] });
    return { ...named, userIds: users.map(({ id }) => id) };
  }
}

const notificationNotFound = (): AppError => new AppError('notification.not_found', 'There is no such notification');

function dashboardIn(body: BodyOf<'createNotification'> & object): DashboardRef {
  const { dashboardId: id, dashboardPublicId: publicId } = body;
  if (id != null && publicId == null) return { id };
  if (publicId != null && id == null) return { publicId };
  throw invalidRequest('/body/dashboardId', 'must be given, or dashboardPublicId, and not both');
}

/** At most one way to name a recipient. */
function recipientIn(query: QueryOf<'getNotifications'>): RecipientFilter | undefined {
  const { recipientUserId, recipientEmail, recipientEmbedTenantName, recipientExternalId } = query;
  const isEmbed = recipientEmbedTenantName !== undefined || recipientExternalId !== undefined;
  const ways = [recipientUserId !== undefined, recipientEmail !== undefined, isEmbed].filter(Boolean).length;
  if (ways > 1) throw invalidRequest('/query', 'names a recipient in more than one way');
  if (recipientUserId !== undefined) return { userIds: [recipientUserId] };
  if (recipientEmail !== undefined) return { email: recipientEmail };
  if (!isEmbed) return undefined;
  if (recipientEmbedTenantName === undefined || recipientExternalId === undefined) {
    throw invalidRequest('/query', 'needs recipientEmbedTenantName and recipientExternalId together');
  }
  return { embedTenantName: recipientEmbedTenantName, externalId: recipientExternalId };
}

const fresh = {
  isEnabled: true,
  sendsMail: true,
  format: 'png',
  hasAiSummary: false,
  filters: null,
  timeGrains: null,
  memberSwitchers: null,
} as const satisfies Omit<NotificationFields, 'cron' | 'timeZone' | 'nextRunAt'>;

/** What is absent or null is as it was before, or as a new notification has it. */
function fieldsOf(input: Input, before?: Notification): NotificationFields {
  requireControls(input);
  const kept = before ?? fresh;
  const schedule = scheduleOf(input, before);
  const isEnabled = input.isEnabled ?? kept.isEnabled;
  return {
    ...schedule,
    isEnabled,
    nextRunAt: nextRunOf({ ...schedule, isEnabled }, before),
    ...contentsOf(input, kept),
  };
}

/** A time that has passed while the notification was off is not made up for. */
function nextRunOf(now: Schedule & { isEnabled: boolean }, before: Notification | undefined): Date {
  const isSame = before?.cron === now.cron && before.timeZone === now.timeZone && before.isEnabled === now.isEnabled;
  return isSame ? before.nextRunAt : (nextRun(now, new Date()) as Date);
}

function contentsOf(
  input: Input,
  kept: Omit<NotificationFields, keyof Schedule | 'nextRunAt'>,
): Omit<NotificationFields, keyof Schedule | 'nextRunAt' | 'isEnabled'> {
  return {
    sendsMail: input.notificationEnabled ?? kept.sendsMail,
    format: input.notificationFormat ?? kept.format,
    hasAiSummary: input.notificationAiSummary ?? kept.hasAiSummary,
    filters: input.filters ?? kept.filters,
    timeGrains: input.timeGrains ?? kept.timeGrains,
    memberSwitchers: input.memberSwitchers ?? kept.memberSwitchers,
  };
}

const dtoOf = (notification: Notification): Dto => ({
  id: notification.id,
  deploymentId: notification.deploymentId,
  dashboardId: notification.dashboardId,
  cronExpression: notification.cron,
  humanReadableSchedule: inWords(notification),
  timezone: notification.timeZone,
  isEnabled: notification.isEnabled,
  notificationEnabled: notification.sendsMail,
  notificationFormat: notification.format,
  notificationAiSummary: notification.hasAiSummary,
  filters: notification.filters,
  timeGrains: notification.timeGrains,
  memberSwitchers: notification.memberSwitchers,
});
