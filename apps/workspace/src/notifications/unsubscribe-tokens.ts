import { Inject, Injectable } from '@nestjs/common';
import { SecretBox } from '@plinth/database';

/** Who may be unsubscribed, and from what. */
export interface Subscription {
  notificationId: number;
  recipientId: number;
  /** For the page: whoever has the link has the mail, too. */
  email: string;
}

/** Tokens by which a recipient unsubscribes without signing in: sealed, so that nobody makes one, and of one tenant. */
@Injectable()
export class UnsubscribeTokens {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {}

  make(tenantId: number, { notificationId, recipientId, email }: Subscription): string {
    return this.secrets.seal(JSON.stringify([notificationId, recipientId, email]), contextOf(tenantId));
  }

  /** Undefined for what is no token of the tenant. */
  read(tenantId: number, token: string): Subscription | undefined {
    try {
      const [notificationId, recipientId, email] = JSON.parse(this.secrets.open(token, contextOf(tenantId))) as [
        number,
        number,
        string,
      ];
      return { notificationId, recipientId, email };
    } catch {
      return undefined;
    }
  }
}

const contextOf = (tenantId: number): string => `tenant:${tenantId}:unsubscribe`;
