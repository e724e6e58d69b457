import { BaseRepository, type Transaction } from '@plinth/database';

/** What of an embed user holds for a notification; null for what is as the user has it. */
export interface RecipientContext {
  groups: string[] | null;
  userAttributes: { name: string; value?: unknown }[] | null;
  securityContext: Record<string, unknown> | null;
}

export interface UserRecipient {
  type: 'USER';
  userId: number;
  embedUserId: null;
  embedTenantName: null;
  externalId: null;
  email: string;
}

export interface EmbedRecipient {
  type: 'EMBED_USER';
  userId: null;
  embedUserId: number;
  embedTenantName: string;
  externalId: string;
  email: string;
}

export type NewRecipient = (UserRecipient | EmbedRecipient) & RecipientContext;
export type Recipient = NewRecipient & { id: number };

/** One that is taken off: by the id of its kind. */
export interface RecipientRef {
  type: 'USER' | 'EMBED_USER';
  id: number;
  embedTenantName: string | null;
}

export class RecipientsRepository extends BaseRepository {
  /** Newest first, those older than `beforeId` when it is given. */
  list(tx: Transaction, notificationId: number, limit: number, beforeId?: number): Promise<Recipient[]> {
    return this.managerFor(tx).query<Recipient[]>(
      `select ${columns} from notification_recipient r
       where r.notification_id = $1 and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`,
      [notificationId, beforeId ?? null, limit],
    );
  }

  /** Those of the users who are there. */
  among(
    tx: Transaction,
    notificationId: number,
    { userIds, embedUserIds }: { userIds: readonly number[]; embedUserIds: readonly number[] },
  ): Promise<Recipient[]> {
    return this.managerFor(tx).query<Recipient[]>(
      `select ${columns} from notification_recipient r
       where r.notification_id = $1 and (r.user_id = any($2::bigint[]) or r.embed_user_id = any($3::bigint[]))`,
      [notificationId, userIds, embedUserIds],
    );
  }

  async count(tx: Transaction, notificationId: number): Promise<number> {
    const [row] = await this.managerFor(tx).query<[{ count: number }]>(
      'select count(*)::int as count from notification_recipient where notification_id = $1',
      [notificationId],
    );
    return row.count;
  }

  async insert(
    tx: Transaction,
    tenantId: number,
    notificationId: number,
    recipients: readonly NewRecipient[],
  ): Promise<void> {
    await this.managerFor(tx).query(
      `insert into notification_recipient (tenant_id, notification_id, type, user_id, embed_user_id, embed_tenant_name,
         external_id, email, groups, user_attributes, security_context)
       select $1, $2, r->>'type', (r->>'userId')::bigint, (r->>'embedUserId')::bigint, r->>'embedTenantName',
         r->>'externalId', r->>'email', nullif((r->'groups')::text, 'null')::json,
         nullif((r->'userAttributes')::text, 'null')::json, nullif((r->'securityContext')::text, 'null')::json
       from json_array_elements($3::json) with ordinality as listed (r, place) order by place`,
      [tenantId, notificationId, JSON.stringify(recipients)],
    );
  }

  async update(tx: Transaction, id: number, { email, ...context }: RecipientContext & { email: string }) {
    const { groups, userAttributes, securityContext } = context;
    await this.managerFor(tx).query(
      `update notification_recipient set email = $2, groups = $3, user_attributes = $4, security_context = $5
       where id = $1`,
      [id, email, json(groups), json(userAttributes), json(securityContext)],
    );
  }

  async remove(tx: Transaction, notificationId: number, refs: readonly RecipientRef[]): Promise<void> {
    await this.managerFor(tx).query(
      `delete from notification_recipient r using json_to_recordset($2::json)
         as given (type text, id bigint, "embedTenantName" text)
       where r.notification_id = $1 and r.type = given.type
         and (r.user_id = given.id or (r.embed_user_id = given.id and r.embed_tenant_name = lower(given."embedTenantName")))`,
      [notificationId, JSON.stringify(refs)],
    );
  }

  /** Where a link in a mail leads. */
  async subscription(
    tx: Transaction,
    notificationId: number,
    recipientId: number,
  ): Promise<{ title: string; isSubscribed: boolean; deploymentId: number } | undefined> {
    const [row] = await this.managerFor(tx).query<{ title: string; isSubscribed: boolean; deploymentId: number }[]>(
      `select n.deployment_id as "deploymentId", coalesce(v.title, i.name) as title,
         exists (select from notification_recipient r where r.id = $2 and r.notification_id = n.id) as "isSubscribed"
       from notification n join dashboard d on d.id = n.dashboard_id join item i on i.id = d.workbook_id
         left join lateral (
           select title from dashboard_version where dashboard_id = d.id order by version_number desc limit 1) v on true
       where n.id = $1`,
      [notificationId, recipientId],
    );
    return row;
  }

  /** Whether they were one. */
  async removeOne(tx: Transaction, notificationId: number, recipientId: number): Promise<boolean> {
    const [, count] = (await this.managerFor(tx).query(
      'delete from notification_recipient where id = $1 and notification_id = $2',
      [recipientId, notificationId],
    )) as [unknown, number];
    return count === 1;
  }
}

const json = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));

const columns = `r.id, r.type, r.user_id as "userId", r.embed_user_id as "embedUserId",
  r.embed_tenant_name as "embedTenantName", r.external_id as "externalId", r.email, r.groups,
  r.user_attributes as "userAttributes", r.security_context as "securityContext"`;
