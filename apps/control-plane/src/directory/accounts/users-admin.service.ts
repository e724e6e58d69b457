import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf, Schemas } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { invalidRequest } from '@plinth/errors';
import { type AcceptedPassword, PasswordLinkIssuer, Passwords } from '../../sign-in';
import { EffectivePolicies, FirstRoles, isAdminIn } from '../../rights';
import { ApiKeyRevocations } from '../../credentials';
import { AccessChanges } from '../../kernel';
import { changesOf } from './user-changes';
import { noPassword, type User, UserLifecycle, userNotFound, UsersRepository } from '../../people';
import { UserPreferences } from './user-preferences.service';
import { toContractUser } from './contract-user';

/** What administrators do with accounts. */
@Injectable()
export class UsersAdminService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly users: UsersRepository,
    private readonly lifecycle: UserLifecycle,
    private readonly roles: FirstRoles,
    private readonly access: EffectivePolicies,
    private readonly preferences: UserPreferences,
    private readonly passwords: Passwords,
    private readonly links: PasswordLinkIssuer,
    private readonly changes: AccessChanges,
    private readonly keys: ApiKeyRevocations,
  ) {}

  async list(principal: Principal, query: QueryOf<'getUsers'>): Promise<ReplyOf<'getUsers'>> {
    const { search } = query;
    const page = await keysetList(query, {
      name: 'users',
      filters: { search },
      positionOf: byId,
      read: (limit, [afterId]) => this.read(principal.tenantId, search, limit, afterId),
    });
    return { ...page, items: await this.withRoles(principal.tenantId, page.items) };
  }

  async create(principal: Principal, body: BodyOf<'createUser'>): Promise<ReplyOf<'createUser'>> {
    const { tenantId } = principal;
    const { email, username, firstName = null, picture = null, externalId = null } = body;
    const isExternal = body.isExternal ?? false;
    if (isExternal && body.password != null)
      throw invalidRequest('/body/password', 'is not for users who sign in elsewhere');
    const password = body.password == null ? undefined : await this.passwords.accept(body.password, body);
    return this.database.mutate(principal, async (tx) => {
      const user = await this.users.insert(tx, {
        ...{ tenantId, email, username, firstName, picture, externalId, isExternal },
        isAdmin: isAdminIn(body),
        joinedAt: isExternal ? new Date() : null,
        settings: await this.preferences.merge(tx, {}, body.settings ?? {}, '/body/settings'),
      });
      await this.roles.assign(tx, user, body.defaultRoles);
      if (password) await this.passwords.set(tx, user.id, password);
      const needsInvitation = !password && !isExternal;
      const invitation = needsInvitation ? await this.links.issue(tx, user, 'invitation') : null;
      return { ...(await this.shown(tx, user.id)), invitation };
    });
  }

  async update(principal: Principal, id: number, body: BodyOf<'updateUser'>): Promise<ReplyOf<'updateUser'>> {
    const password = body.password == null ? undefined : await this.acceptPassword(principal, id, body.password);
    return this.changes.mutate(principal, async (tx) => {
      if (body.isDeactivated === true || body.isAdmin === false) {
        await this.lifecycle.requireDispensable(tx, principal, id);
      }
      const user = await this.users.findForUpdate(tx, id);
      if (!user) throw userNotFound();
      const before = body.settings === null ? {} : user.settings;
      const settings = await this.preferences.merge(tx, before, body.settings ?? {}, '/body/settings');
      await this.users.save(tx, { ...user, ...changesOf(user, body), settings });
      if (body.isDeactivated === true) await this.lifecycle.signOutEverywhere(tx, id);
      if (password) await this.passwords.set(tx, id, password);
      if (body.revokeApiKeys === true) await this.keys.ofUser(tx, principal, id);
      return this.shown(tx, id);
    });
  }

  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteUser'>> {
    return this.changes.mutate(principal, async (tx) => {
      await this.lifecycle.apply(tx, principal, id, 'DELETE');
      return { success: true };
    });
  }

  private async read(tenantId: number, search: string | undefined, limit: number, afterId?: number): Promise<User[]> {
    if (search === undefined) {
      return this.database.transaction(tenantId, (tx) => this.users.list(tx, limit, afterId));
    }
    const ids = await this.database.asSystem((tx) => this.users.searchIds(tx, tenantId, search, limit, afterId));
    return this.database.transaction(tenantId, (tx) => this.users.listByIds(tx, ids));
  }

  private async acceptPassword(principal: Principal, id: number, password: string): Promise<AcceptedPassword> {
    const user = await this.database.transaction(principal.tenantId, (tx) => this.existing(tx, id));
    if (user.isExternal) throw noPassword();
    return this.passwords.accept(password, user);
  }

  private withRoles(tenantId: number, users: readonly User[]): Promise<Schemas['User'][]> {
    return this.database.transaction(tenantId, async (tx) => {
      const roles = await this.access.roles(
        tx,
        users.map(({ id }) => id),
      );
      return users.map((user) => toContractUser(user, roles.get(user.id)));
    });
  }

  private async shown(tx: Transaction, id: number): Promise<Schemas['User']> {
    const user = await this.existing(tx, id);
    return toContractUser(user, (await this.access.roles(tx, [id])).get(id));
  }

  private async existing(tx: Transaction, id: number): Promise<User> {
    const user = await this.users.findById(tx, id);
    if (!user) throw userNotFound();
    return user;
  }
}
