import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf, Schemas } from '@plinth/contract';
import { recordAction, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { ApiKeyRevocations } from '../../credentials';
import { UserLifecycle } from '../../people';

type Failure = Schemas['BulkUserActionFailure'];

/** What the audit log says of each user, beside the request that concerned all of them. */
const events: Readonly<Record<Schemas['BulkUserAction'], string>> = {
  ACTIVATE: 'Activated user',
  DEACTIVATE: 'Deactivated user',
  DELETE: 'Deleted user',
};

@Injectable()
export class BulkUserActions {
  constructor(
    private readonly lifecycle: UserLifecycle,
    private readonly changes: AccessChanges,
    private readonly keys: ApiKeyRevocations,
  ) {}

  /** One transaction for all: a refusal concerns its user alone, and a crash leaves nothing half done. */
  async run(
    principal: Principal,
    { action, userIds, revokeApiKeys }: BodyOf<'bulkUserAction'>,
  ): Promise<ReplyOf<'bulkUserAction'>> {
    return this.changes.mutate(principal, async (tx) => {
      const succeeded: number[] = [];
      const failed: Failure[] = [];
      for (const userId of new Set(userIds)) {
        const failure = await this.attempt(tx, principal, userId, action);
        if (failure) failed.push(failure);
        else succeeded.push(userId);
        // Those of a deleted user are gone.
        if (!failure && revokeApiKeys === true && action !== 'DELETE') await this.keys.ofUser(tx, principal, userId);
      }
      return { action, succeeded, failed };
    });
  }

  /** Rules are checked before anything is written, so a refusal leaves the transaction whole. */
  private async attempt(
    tx: Transaction,
    principal: Principal,
    userId: number,
    action: Schemas['BulkUserAction'],
  ): Promise<Failure | undefined> {
    try {
      await this.lifecycle.apply(tx, principal, userId, action);
      recordAction(tx, principal, { event: events[action], attributes: { id: userId } });
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { userId, error: { status: statusOf(error, action), message: error.message } };
    }
  }
}

/** Entries say with statuses of their own which rule stands in the way; clients tell them apart by it. */
function statusOf({ code, status }: AppError, action: Schemas['BulkUserAction']): number {
  if (code === 'user.own_account' && action === 'DELETE') return 400;
  return code === 'user.own_account' || code === 'user.last_admin' ? 403 : status;
}
