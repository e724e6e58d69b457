import type { Schemas } from '@plinth/contract';
import type { Database, Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { ApiKeysRepository, REVOKED_KEYS_EVENT } from '../credentials';
import { EffectivePoliciesRepository, isAdminRole, type Role, RolesRepository } from '../rights';
import type { PasswordLinkIssuer } from '../sign-in';
import { TenantsRepository } from '../tenancy';
import { requirePasswordAccount, type User, UsersRepository } from '../people';
import { recordOperatorAction } from './operator-audit';

/** A user as the operator sees them. */
export interface UserLine {
  id: number;
  email: string;
  isAdmin: boolean;
  isDeactivated: boolean;
  /** Names of the roles that the user holds, also through groups. */
  roles: string[];
}

export interface RoleLine {
  id: number;
  name: string;
  isBuiltIn: boolean;
}

const LISTED = 1_000;

/** How the operator lets people into a tenant that has locked itself out. Runs as the system, as all that operators do. */
export class OperatorUsers {
  constructor(
    private readonly database: Database,
    private readonly tenants = new TenantsRepository(),
    private readonly users = new UsersRepository(),
    private readonly roles = new RolesRepository(),
    private readonly holdings = new EffectivePoliciesRepository(),
    private readonly apiKeys = new ApiKeysRepository(),
  ) {}

  /** Up to 1,000 users, in the order of their ids, from the one after `afterId` on. */
  list(tenant: string, afterId = 0): Promise<UserLine[]> {
    return this.inTenant(tenant, async (tx, tenantId) => {
      const users = await this.users.listAcrossTenants(tx, tenantId, LISTED, afterId);
      return this.lines(tx, users);
    });
  }

  listRoles(tenant: string): Promise<RoleLine[]> {
    return this.inTenant(tenant, async (tx, tenantId) => {
      const roles = await this.roles.listAcrossTenants(tx, tenantId, LISTED);
      return roles.map(({ id, name, isBuiltIn }) => ({ id, name, isBuiltIn }));
    });
  }

  /** A service user without a password, or the user who is there; holds the role in any case. */
  create(tenant: string, email: string, role: string): Promise<UserLine> {
    return this.inTenant(tenant, async (tx, tenantId) => this.line(tx, await this.provide(tx, tenantId, email, role)));
  }

  /** Lets a deactivated user in again. */
  activate(tenant: string, email: string): Promise<UserLine> {
    return this.inTenant(tenant, async (tx, tenantId) => {
      const user = await this.require(tx, tenantId, email);
      const active = await this.users.save(tx, { ...user, deactivatedAt: null });
      recordOperatorAction(tx, tenantId, 'Activated user', { id: user.id });
      return this.line(tx, active);
    });
  }

  /** Leaves the user with this role alone, apart from what groups pass on. */
  setRole(tenant: string, email: string, role: string): Promise<UserLine> {
    return this.inTenant(tenant, async (tx, tenantId) => {
      const user = await this.require(tx, tenantId, email);
      const wanted = await this.requireRole(tx, tenantId, role);
      await this.roles.unassignAll(tx, user.id);
      return this.line(tx, await this.give(tx, { ...user, isAdmin: false }, wanted));
    });
  }

  /**
   * A link by which the user sets a new password, when no administrator is left who could ask for one. API keys are
   * revoked at once, and those that are made until then when the link is used.
   */
  resetPassword(
    tenant: string,
    email: string,
    links: PasswordLinkIssuer,
    revokesApiKeys = false,
  ): Promise<Schemas['PasswordLink']> {
    return this.inTenant(tenant, async (tx, tenantId) => {
      const user = await this.require(tx, tenantId, email);
      requirePasswordAccount(user);
      recordOperatorAction(tx, tenantId, 'Requested password reset', { id: user.id });
      if (revokesApiKeys) {
        const count = await this.apiKeys.deleteAllOf(tx, user.id);
        recordOperatorAction(tx, tenantId, REVOKED_KEYS_EVENT, { id: user.id, count });
      }
      return links.issue(tx, user, 'password-reset', { revokesApiKeys });
    });
  }

  /** As {@link create}, within a larger piece of work. */
  async provide(tx: Transaction, tenantId: number, email: string, role: string): Promise<User> {
    const wanted = await this.requireRole(tx, tenantId, role);
    const known = await this.users.findByEmail(tx, tenantId, email);
    return this.give(tx, known ?? (await this.insert(tx, tenantId, email)), wanted);
  }

  private async insert(tx: Transaction, tenantId: number, email: string): Promise<User> {
    const user = await this.users.insert(tx, { tenantId, email, isAdmin: false });
    recordOperatorAction(tx, tenantId, 'Created user', { id: user.id, email });
    return user;
  }

  private async give(tx: Transaction, user: User, role: Role): Promise<User> {
    const isAdmin = user.isAdmin || isAdminRole(role);
    if (!isAdminRole(role)) {
      await this.roles.assign(tx, { tenantId: user.tenantId, userId: user.id, roleId: role.id });
    }
    recordOperatorAction(tx, user.tenantId, 'Assigned role to user', { userId: user.id, roleId: role.id });
    return this.users.save(tx, { ...user, isAdmin });
  }

  private async require(tx: Transaction, tenantId: number, email: string): Promise<User> {
    const user = await this.users.findByEmail(tx, tenantId, email);
    if (!user) throw invalidRequest('/email', 'belongs to no user of this tenant');
    return user;
  }

  private async requireRole(tx: Transaction, tenantId: number, name: string): Promise<Role> {
    const role = await this.roles.findNamed(tx, tenantId, name);
    if (!role) throw invalidRequest('/role', 'is not the name of a role of this tenant');
    return role;
  }

  private async line(tx: Transaction, user: User): Promise<UserLine> {
    const [line] = await this.lines(tx, [user]);
    return line as UserLine;
  }

  private async lines(tx: Transaction, users: readonly User[]): Promise<UserLine[]> {
    const roles = await this.holdings.findRoles(
      tx,
      users.map(({ id }) => id),
    );
    return users.map(({ id, email, isAdmin, deactivatedAt }) => ({
      id,
      email,
      isAdmin,
      isDeactivated: deactivatedAt !== null,
      roles: (roles.get(id) ?? []).map(({ name }) => name),
    }));
  }

  private inTenant<T>(name: string, work: (tx: Transaction, tenantId: number) => Promise<T>): Promise<T> {
    return this.database.asSystem(async (tx) => {
      const tenant = await this.tenants.findByName(tx, name);
      if (!tenant) throw new AppError('tenant.unknown_host', `There is no tenant named ${name}`);
      return work(tx, tenant.id);
    });
  }
}
