import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { OAuthArtefactsRepository } from '../../sign-in/oauth/oauth-artefacts.repository';
import { ProviderRevocationsRepository } from '../../integrations/oauth-integrations/provider-revocations.repository';
import { UserGroupsRepository } from '../user-groups/user-groups.repository';
import { lastAdmin, ownAccount, userNotFound } from './user-errors';
import type { User } from './user.entity';
import { UsersRepository } from './users.repository';

/** The rules on taking access away, in one place for every way of doing it. */
@Injectable()
export class UserLifecycle {
  constructor(
    private readonly users: UsersRepository,
    private readonly artefacts: OAuthArtefactsRepository,
    private readonly revocations: ProviderRevocationsRepository,
    private readonly groups: UserGroupsRepository,
  ) {}

  /** @throws AppError `user.not_found` (404), `user.own_account`, `user.last_admin` (409). */
  async apply(tx: Transaction, principal: Principal, id: number, action: Schemas['BulkUserAction']): Promise<void> {
    if (action === 'DELETE') await this.delete(tx, principal, id);
    else if (action === 'DEACTIVATE') await this.deactivate(tx, principal, id);
    else await this.activate(tx, id);
  }

  /**
   * Refuses to take administration or access away from the caller and from the last who administers the account.
   * Comes before the lock on the user's own row, so that all who need both locks take them in the same order.
   */
  async requireDispensable(tx: Transaction, principal: Principal, id: number): Promise<void> {
    if (id === principal.userId) throw ownAccount();
    if (await this.users.isLastActiveAdmin(tx, id)) throw lastAdmin();
  }

  async delete(tx: Transaction, principal: Principal, id: number): Promise<void> {
    await this.requireDispensable(tx, principal, id);
    await this.existing(tx, id);
    await this.groups.touchOfUser(tx, id);
    await this.revocations.take(tx, 'user_id', id);
    if (!(await this.users.delete(tx, id))) throw userNotFound();
  }

  /** Ends the user's sessions and tokens for good: nothing of them comes back when the user does. */
  signOutEverywhere(tx: Transaction, id: number): Promise<void> {
    return this.artefacts.endAllOfUser(tx, id);
  }

  private async deactivate(tx: Transaction, principal: Principal, id: number): Promise<void> {
    await this.requireDispensable(tx, principal, id);
    const user = await this.existing(tx, id);
    if (!user.deactivatedAt) await this.users.save(tx, { ...user, deactivatedAt: new Date() });
    await this.signOutEverywhere(tx, id);
  }

  private async activate(tx: Transaction, id: number): Promise<void> {
    const user = await this.existing(tx, id);
    if (user.deactivatedAt) await this.users.save(tx, { ...user, deactivatedAt: null });
  }

  private async existing(tx: Transaction, id: number): Promise<User> {
    const user = await this.users.findForUpdate(tx, id);
    if (!user) throw userNotFound();
    return user;
  }
}
