import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { EffectivePolicies } from '../../rights';
import { ownUser, type User, UsersRepository } from '../../people';
import { toContractUser } from './contract-user';
import { UserPreferences } from './user-preferences.service';

/** What users see and change of themselves. */
@Injectable()
export class UsersService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly preferences: UserPreferences,
    private readonly access: EffectivePolicies,
  ) {}

  /** The user who owns the caller's credential. */
  async current(principal: Principal): Promise<ReplyOf<'getCurrentUser'>> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const user = await this.own(tx, principal);
      const { roles, policies } = await this.access.of(tx, user.id);
      return { ...toContractUser(user, roles), userPolicies: policies };
    });
  }

  async embedTheme(principal: Principal): Promise<ReplyOf<'getEmbedTheme'>> {
    const { embedTheme } = await this.database.transaction(principal.tenantId, (tx) => this.own(tx, principal));
    return { embedTheme };
  }

  async updateSettings(principal: Principal, change: BodyOf<'updateMySettings'>): Promise<ReplyOf<'updateMySettings'>> {
    return this.database.mutate(principal, async (tx) => {
      const user = await this.own(tx, principal, (id) => this.users.findForUpdate(tx, id));
      const settings = await this.preferences.merge(tx, user.settings, change, '/body');
      const saved = await this.users.save(tx, { ...user, settings });
      return toContractUser(saved, (await this.access.roles(tx, [user.id])).get(user.id));
    });
  }

  private async own(
    tx: Transaction,
    { userId }: Principal,
    read: (id: number) => Promise<User | null> = (id) => this.users.findById(tx, id),
  ): Promise<User> {
    return ownUser(userId === null ? null : await read(userId));
  }
}
