import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import { recordAction, type Transaction } from '@plinth/database';
import { ApiKeysRepository } from './api-keys.repository';

/** What the audit log says of it, beside the change that it came with. */
export const REVOKED_KEYS_EVENT = 'Revoked API keys of user';

/** Revokes what a user has for programs, as a part of something larger. */
@Injectable()
export class ApiKeyRevocations {
  constructor(private readonly apiKeys: ApiKeysRepository) {}

  /** The gateways are the caller's to tell. */
  async ofUser(tx: Transaction, principal: Principal, userId: number): Promise<void> {
    const count = await this.apiKeys.deleteAllOf(tx, userId);
    recordAction(tx, principal, { event: REVOKED_KEYS_EVENT, attributes: { id: userId, count } });
  }
}
