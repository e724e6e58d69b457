import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@plinth/database';
import { EffectivePolicies } from '../../rights';
import { callerIsNobody } from '../../people';
import { ContextAdditions, type ContextOwner } from './context-additions';
import { ownContext } from './own-context';
import { TokenHoldersRepository } from './token-holders.repository';

/** The security contexts of users who read data without a token of their own. */
@Injectable()
export class OwnContexts {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly holders: TokenHoldersRepository,
    private readonly policies: EffectivePolicies,
    private readonly additions: ContextAdditions,
  ) {}

  /** What a token of theirs would open. @throws AppError `auth.credential_invalid` (401) for a user who is deactivated or gone. */
  async of(owner: ContextOwner): Promise<Record<string, unknown>> {
    const context = await this.database.transaction(owner.tenantId, (tx) => this.signedPart(tx, owner.userId));
    return this.additions.complete(context, owner);
  }

  private async signedPart(tx: Transaction, userId: number): Promise<Record<string, unknown>> {
    const holder = await this.holders.find(tx, userId);
    if (!holder) throw callerIsNobody();
    const roles = (await this.policies.roles(tx, [userId])).get(userId) ?? [];
    const names = roles.map(({ name }) => name);
    return ownContext(userId, holder, names);
  }
}
