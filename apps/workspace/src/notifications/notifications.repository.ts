import type { Schemas } from '@plinth/contract';
import { BaseRepository, type Transaction } from '@plinth/database';

type Dto = Schemas['NotificationDto'];

/** What of a notification can be changed. */
export interface NotificationFields {
  cron: string;
  timeZone: string;
  nextRunAt: Date;
  isEnabled: boolean;
  sendsMail: boolean;
  format: 'png' | 'pdf';
  hasAiSummary: boolean;
  filters: Dto['filters'];
  timeGrains: Dto['timeGrains'];
  memberSwitchers: Dto['memberSwitchers'];
}

export interface Notification extends NotificationFields {
  id: number;
  tenantId: number;
  deploymentId: number;
  dashboardId: number;
}

export interface NewNotification extends NotificationFields {
  tenantId: number;
  deploymentId: number;
  dashboardId: number;
  createdBy: number | null;
}

/** Whom or what notifications are looked for by. */
export interface NotificationFilter {
  dashboardId?: number | undefined;
  dashboardPublicId?: string | undefined;
  /** One of them is enough. */
  recipient?: RecipientFilter | undefined;
}

export interface RecipientFilter {
  userIds?: readonly number[];
  email?: string;
  embedTenantName?: string;
  externalId?: string;
}

export class NotificationsRepository extends BaseRepository {
  /** Newest first, those older than `beforeId` when it is given. */
  list(
    tx: Transaction,
    deploymentId: number,
    { dashboardId, dashboardPublicId, recipient }: NotificationFilter,
    limit: number,
    beforeId?: number,
  ): Promise<Notification[]> {
    const { userIds = [], email = null, embedTenantName = null, externalId = null } = recipient ?? {};
    return this.managerFor(tx).query<Notification[]>(
      `select ${columns} from notification n
       where n.deployment_id = $1 and ($2::bigint is null or n.id < $2) and ($3::bigint is null or n.dashboard_id = $3)
         and ($4::text is null or exists (
           select from dashboard d where d.id = n.dashboard_id and d.public_id = $4))
         and (not $5 or exists (
           select from notification_recipient r where r.notification_id = n.id and (
             r.user_id = any($6::bigint[]) or (r.type = 'EMBED_USER' and lower(r.email) = lower($7))
             or (r.embed_tenant_name = lower($8) and r.external_id = lower(trim($9))))))
       order by n.id desc limit $10`,
      [
        deploymentId,
        beforeId ?? null,
        dashboardId ?? null,
        dashboardPublicId ?? null,
        recipient !== undefined,
        userIds,
        email,
        embedTenantName,
        externalId,
        limit,
      ],
    );
  }

  async find(tx: Transaction, deploymentId: number, id: number, lock = false): Promise<Notification | undefined> {
    const [row] = await this.managerFor(tx).query<Notification[]>(
      `select ${columns} from notification n where n.id = $1 and n.deployment_id = $2 ${lock ? 'for no key update' : ''}`,
      [id, deploymentId],
    );
    return row;
  }

  async insert(tx: Transaction, { tenantId, deploymentId, dashboardId, createdBy, ...fields }: NewNotification) {
    const [row] = await this.managerFor(tx).query<[Notification]>(
      `insert into notification as n (tenant_id, deployment_id, dashboard_id, created_by, ${fieldColumns.join(', ')})
       values ($1, $2, $3, $4, ${fieldColumns.map((_column, index) => `$${index + 5}`).join(', ')})
       returning ${columns}`,
      [tenantId, deploymentId, dashboardId, createdBy, ...valuesOf(fields)],
    );
    return row;
  }

  async update(tx: Transaction, id: number, fields: NotificationFields): Promise<void> {
    await this.managerFor(tx).query(
      `update notification set ${fieldColumns.map((column, index) => `${column} = $${index + 2}`).join(', ')}
       where id = $1`,
      [id, ...valuesOf(fields)],
    );
  }

  async delete(tx: Transaction, deploymentId: number, id: number): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      'delete from notification where id = $1 and deployment_id = $2',
      [id, deploymentId],
    )) as [unknown, number];
    return count === 1;
  }

  /** Notifications whose time has come, locked, the longest due first. Others that ask at once get others. */
  due(tx: Transaction, limit: number): Promise<(Notification & { now: Date })[]> {
    return this.managerFor(tx).query(
      `select ${columns}, now() from notification n where n.is_enabled and n.next_run_at <= now()
       order by n.next_run_at limit $1 for no key update skip locked`,
      [limit],
    );
  }

  async setNextRun(tx: Transaction, id: number, at: Date | null): Promise<void> {
    await this.managerFor(tx).query(
      'update notification set next_run_at = coalesce($2, next_run_at), is_enabled = is_enabled and $2 is not null where id = $1',
      [id, at],
    );
  }

  /** Milliseconds until the next one is due. */
  async nextDueMs(tx: Transaction): Promise<number | undefined> {
    const [row] = await this.managerFor(tx).query<[{ ms: number | null }]>(
      `select (extract(epoch from min(next_run_at) - now()) * 1000)::float8 as ms from notification where is_enabled`,
    );
    return row.ms ?? undefined;
  }
}

const fieldColumns = [
  'cron',
  'time_zone',
  'next_run_at',
  'is_enabled',
  'sends_mail',
  'format',
  'has_ai_summary',
  'filters',
  'time_grains',
  'member_switchers',
];

const json = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));

const valuesOf = (fields: NotificationFields): unknown[] => [
  fields.cron,
  fields.timeZone,
  fields.nextRunAt,
  fields.isEnabled,
  fields.sendsMail,
  fields.format,
  fields.hasAiSummary,
  json(fields.filters),
  json(fields.timeGrains),
  json(fields.memberSwitchers),
];

const columns = `n.id, n.tenant_id as "tenantId", n.deployment_id as "deploymentId", n.dashboard_id as "dashboardId", n.cron,
  n.time_zone as "timeZone", n.next_run_at as "nextRunAt", n.is_enabled as "isEnabled", n.sends_mail as "sendsMail",
  n.format, n.has_ai_summary as "hasAiSummary", n.filters, n.time_grains as "timeGrains",
  n.member_switchers as "memberSwitchers"`;
