import { Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import type { Transaction } from '@plinth/database';
import { lastAdmin, ownAccount, userNotFound } from './user-errors';
import type { User } from './user.entity';
import { UsersRepository } from './users.repository';

/** What a feature that keeps something of users does when their access ends. */
export interface UserEnding {
  /** Ends the user's sessions and tokens for good: nothing of them comes back when the user does. */
  onSignOut?(tx: Transaction, userId: number): Promise<void>;
  /** Comes while the user is still there, and nobody else changes them. */
  onDelete?(tx: Transaction, userId: number): Promise<void>;
}

/** The rules on taking access away, in one place for every way of doing it. */
@Injectable()
export class UserLifecycle {
  private readonly endings: UserEnding[] = [];

  constructor(private readonly users: UsersRepository) {}

  /** For modules, before the first call. In the order of their registration they take their locks. */
  register(ending: UserEnding): void {
    this.endings.push(ending);
  }

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
    for (const ending of this.endings) await ending.onDelete?.(tx, id);
    if (!(await this.users.delete(tx, id))) throw userNotFound();
    tx.emit('user.deleted', { userId: id });
  }

  async signOutEverywhere(tx: Transaction, id: number): Promise<void> {
    for (const ending of this.endings) await ending.onSignOut?.(tx, id);
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
