import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, recordAction, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { RecipientsRepository } from './recipients.repository';
import { UnsubscribeTokens, type Subscription } from './unsubscribe-tokens';

/** Lets those who have a mail say that they want no more. Who holds the link acts as the recipient. */
@Injectable()
export class UnsubscribeService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly recipients: RecipientsRepository,
    private readonly tokens: UnsubscribeTokens,
  ) {}

  async describe(
    { tenantId }: Principal,
    body: BodyOf<'describeUnsubscription'>,
  ): Promise<ReplyOf<'describeUnsubscription'>> {
    const subscription = this.read(tenantId, body.token);
    const { title, isSubscribed } = await this.database.transaction(tenantId, (tx) => this.find(tx, subscription));
    return { email: subscription.email, title, isSubscribed };
  }

  async unsubscribe(principal: Principal, body: BodyOf<'unsubscribe'>): Promise<ReplyOf<'unsubscribe'>> {
    const subscription = this.read(principal.tenantId, body.token);
    const { notificationId, recipientId, email } = subscription;
    const holder = { ...principal, credentialId: `recipient:${recipientId}`, email };
    return this.database.mutate(holder, async (tx) => {
      const { deploymentId, title } = await this.find(tx, subscription);
      if (await this.recipients.removeOne(tx, notificationId, recipientId)) {
        recordAction(tx, holder, {
          event: 'Unsubscribed from notification',
          attributes: { notificationId },
          deploymentId,
        });
      }
      return { email, title, isSubscribed: false };
    });
  }

  private read(tenantId: number, token: string): Subscription {
    const subscription = this.tokens.read(tenantId, token);
    if (!subscription) throw notFound();
    return subscription;
  }

  private async find(
    tx: Transaction,
    { notificationId, recipientId }: Subscription,
  ): Promise<{ title: string; isSubscribed: boolean; deploymentId: number }> {
    const found = await this.recipients.subscription(tx, notificationId, recipientId);
    if (!found) throw notFound();
    return found;
  }
}

const notFound = (): AppError =>
  new AppError('unsubscription.not_found', 'The link is not valid, or the notification is gone');
