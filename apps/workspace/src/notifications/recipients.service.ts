import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { ContentRights } from '../content';
import { MailDirectory } from './mail-directory.service';
import { NotificationsService } from './notifications.service';
import { RecipientResolver } from './recipient-resolver.service';
import { RecipientsRepository, type NewRecipient, type Recipient, type RecipientRef } from './recipients.repository';

type Dto = Schemas['NotificationRecipient'];
type Outcome = ReplyOf<'addRecipients'>;

/** Of a notification, whatever number of requests adds them. */
const MOST_RECIPIENTS = 10_000;

/** To whom notifications are sent. */
@Injectable()
export class RecipientsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly rights: ContentRights,
    private readonly notifications: NotificationsService,
    private readonly recipients: RecipientsRepository,
    private readonly resolver: RecipientResolver,
    private readonly directory: MailDirectory,
  ) {}

  async list(
    principal: Principal,
    deploymentId: number,
    notificationId: number,
    query: QueryOf<'getRecipients'>,
  ): Promise<ReplyOf<'getRecipients'>> {
    await this.rights.viewerOf(principal, deploymentId);
    const { tenantId } = principal;
    const { items, pageInfo } = await keysetList(query, {
      name: 'notification-recipients',
      filters: { notificationId },
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(tenantId, async (tx) => {
          await this.notifications.require(tx, deploymentId, notificationId);
          return this.recipients.list(tx, notificationId, limit, beforeId);
        }),
    });
    return { items: items.map(await this.describer(tenantId, items)), pageInfo };
  }

  /** All of them, or none. */
  async add(
    principal: Principal,
    deploymentId: number,
    notificationId: number,
    body: BodyOf<'addRecipients'>,
  ): Promise<Outcome> {
    const inputs = requireSome(body?.recipients);
    await this.rights.viewerOf(principal, deploymentId);
    const { tenantId } = principal;
    await this.database.transaction(tenantId, (tx) => this.notifications.require(tx, deploymentId, notificationId));
    const named = await this.resolver.resolve(tenantId, inputs);
    // What is saved must be answered, whatever becomes of others then.
    const describe = await this.describer(tenantId, named);
    const sorted = await this.database.mutate(principal, async (tx) => {
      await this.notifications.require(tx, deploymentId, notificationId, true);
      return this.put(tx, tenantId, notificationId, named);
    });
    return {
      createdRecipients: sorted.created.map(describe),
      updatedRecipients: sorted.updated.map(describe),
      unchangedRecipients: sorted.unchanged.map(describe),
    };
  }

  async remove(
    principal: Principal,
    deploymentId: number,
    notificationId: number,
    body: BodyOf<'removeRecipients'>,
  ): Promise<ReplyOf<'removeRecipients'>> {
    const refs = requireSome(body?.recipients).flatMap(referenceOf);
    await this.rights.viewerOf(principal, deploymentId);
    await this.database.mutate(principal, async (tx) => {
      await this.notifications.require(tx, deploymentId, notificationId, true);
      await this.recipients.remove(tx, notificationId, refs);
      return null;
    });
    return undefined;
  }

  private async put(tx: Transaction, tenantId: number, notificationId: number, named: readonly NewRecipient[]) {
    const userIds = named.flatMap(({ userId }) => userId ?? []);
    const embedUserIds = named.flatMap(({ embedUserId }) => embedUserId ?? []);
    const there = await this.recipients.among(tx, notificationId, { userIds, embedUserIds });
    const known = new Map(there.map((each) => [keyOf(each), each]));
    const created = named.filter((each) => !known.has(keyOf(each)));
    if (created.length > 0 && (await this.recipients.count(tx, notificationId)) + created.length > MOST_RECIPIENTS) {
      const message = `A notification has at most ${MOST_RECIPIENTS} recipients`;
      throw new AppError('notification.too_many_recipients', message);
    }
    const [updated, unchanged] = [[] as NewRecipient[], [] as NewRecipient[]];
    for (const each of named) {
      const before = known.get(keyOf(each));
      if (!before) continue;
      const after = merged(before, each);
      if (isDeepStrictEqual(after, before)) unchanged.push(before);
      else {
        await this.recipients.update(tx, before.id, after);
        (isDeepStrictEqual({ ...after, email: '' }, { ...before, email: '' }) ? unchanged : updated).push(after);
      }
    }
    if (created.length > 0) await this.recipients.insert(tx, tenantId, notificationId, created);
    return { created, updated, unchanged };
  }

  /** Shows any of the recipients. */
  private async describer(tenantId: number, recipients: readonly NewRecipient[]): Promise<(each: NewRecipient) => Dto> {
    const userIds = recipients.flatMap(({ userId }) => userId ?? []);
    const { users } = userIds.length > 0 ? await this.directory.users(tenantId, { userIds }) : { users: [] };
    const byUser = new Map(users.map((user) => [user.id, user]));
    return (each) => {
      if (each.type === 'EMBED_USER') {
        const { type, embedUserId, embedTenantName, externalId, email } = each;
        return { type, embedUserId, embedTenantName, externalId, email };
      }
      const { username = null, email = null } = byUser.get(each.userId) ?? {};
      return { type: each.type, userId: each.userId, username, email };
    };
  }
}

const keyOf = ({ userId, embedUserId }: NewRecipient): string =>
  userId === null ? `embed-user:${embedUserId}` : `user:${userId}`;

/** What a request does not say of an embed user stays as it was. */
function merged(before: Recipient, { email, groups, userAttributes, securityContext }: NewRecipient): Recipient {
  return {
    ...before,
    email,
    groups: groups ?? before.groups,
    userAttributes: userAttributes ?? before.userAttributes,
    securityContext: securityContext ?? before.securityContext,
  };
}

function requireSome<Each>(recipients: readonly Each[] | undefined): readonly Each[] {
  if (recipients === undefined) throw invalidRequest('/body/recipients', 'is needed');
  return recipients;
}

/** Nobody has an id that is no number, and so nobody is removed by it. */
function referenceOf(
  { type, id, embedTenantName = null }: Schemas['NotificationRecipientReference'],
  index: number,
): RecipientRef[] {
  if (type === 'SLACK') return [];
  if (type === 'EMBED_USER' && embedTenantName === null) {
    throw invalidRequest(`/body/recipients/${index}/embedTenantName`, 'is needed for EMBED_USER');
  }
  const number = Number(id);
  return Number.isSafeInteger(number) && number > 0 ? [{ type, id: number, embedTenantName }] : [];
}
