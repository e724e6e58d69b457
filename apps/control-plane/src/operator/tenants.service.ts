import type { Database, Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import {
  ApiKeysRepository,
  futureExpiry,
  hashOf,
  isSecret,
  issueScimToken,
  newSecret,
  prefixOf,
  ScimTokensRepository,
} from '../credentials';
import { recordOperatorAction } from './operator-audit';
import { OperatorUsers } from './operator-users.service';
import { RolesRepository } from '../rights';
import { type User, UsersRepository } from '../people';
import {
  TenantSettingsRepository,
  TenantsRepository,
  type DeletedTenant,
  type TenantSummary,
  type TenantWithHosts,
} from '../tenancy';

export interface NewTenant {
  name: string;
  hosts: readonly string[];
  adminEmail: string;
  /** Secret of the administrator's first key; a new one when absent. */
  apiKey?: string | undefined;
  /** Why nothing keeps programs of users from the platform, where that is so: then there is only one tenant. */
  missingWall?: string | undefined;
}

/** A tenant as the operator sees it. */
export interface TenantDetails extends TenantSummary {
  id: number;
  name: string;
  createdAt: string;
  /** Whether users who are no administrators can have API keys. */
  personalApiKeys: boolean;
}

/** Hosts are in lower case. What is absent stays as it is. */
export interface TenantChanges {
  addHosts?: readonly string[] | undefined;
  removeHosts?: readonly string[] | undefined;
  allowPersonalApiKeys?: boolean | undefined;
}

export interface NewOperatorKey {
  tenant: string;
  /** Owner of the key; the first administrator when absent. */
  email?: string | undefined;
  /** Name of a role that the owner is given; with it, an owner who does not exist is made. */
  role?: string | undefined;
  name?: string | undefined;
  deploymentIds?: number[] | undefined;
  /** When the key stops working, as RFC 3339 has it; never when absent. */
  expires?: string | undefined;
  apiKey?: string | undefined;
}

export interface IssuedKey {
  id: number;
  apiKey: string;
  email: string;
}

/** What the operator does across tenants. Runs as the system: there is no caller whose rights could be checked. */
export class TenantsService {
  constructor(
    private readonly database: Database,
    private readonly tenants = new TenantsRepository(),
    private readonly users = new UsersRepository(),
    private readonly apiKeys = new ApiKeysRepository(),
    private readonly roles = new RolesRepository(),
    private readonly settings = new TenantSettingsRepository(),
    private readonly scimTokens = new ScimTokensRepository(),
    private readonly operatorUsers = new OperatorUsers(database),
  ) {}

  /** @throws AppError (409) `tenant.exists` for a taken name or host, `tenant.needs_sandbox` without a wall between tenants. */
  create(tenant: NewTenant): Promise<TenantWithHosts & { admin: IssuedKey }> {
    const { missingWall } = tenant;
    return this.database.asSystem(async (tx) => {
      if (missingWall !== undefined && !(await this.tenants.isEmpty(tx))) throw needsSandbox(missingWall);
      return this.insert(tx, tenant);
    });
  }

  list(): Promise<TenantWithHosts[]> {
    return this.database.asSystem((tx) => this.tenants.list(tx));
  }

  /** What is kept of tenants that were deleted, the last one first; at most {@link MOST_DELETIONS}. */
  listDeletions(): Promise<DeletedTenant[]> {
    return this.database.asSystem((tx) => this.tenants.listDeletions(tx, MOST_DELETIONS));
  }

  /** Makes the tenant only when there is none at all; replicas that start together make one. */
  async createFirst(tenant: NewTenant): Promise<boolean> {
    try {
      return await this.database.asSystem(async (tx) => {
        if (!(await this.tenants.isEmpty(tx))) return false;
        await this.insert(tx, tenant);
        return true;
      });
    } catch (error) {
      if (error instanceof AppError && error.code === 'tenant.exists') return false;
      throw error;
    }
  }

  /** Whether a key lets an administrator of the tenant in. */
  async isAdminKey(tenantName: string, apiKey: string): Promise<boolean> {
    const tenant = await this.database.asSystem((tx) => this.tenants.findByName(tx, tenantName));
    const holder = tenant && (await this.apiKeys.findHolder(this.database, tenant.id, hashOf(apiKey)));
    return holder?.isAdmin === true;
  }

  /** @throws AppError `tenant.unknown_host` (404) without such a tenant, `request.invalid` (400) without such a user. */
  issueKey(request: NewOperatorKey): Promise<IssuedKey> {
    return this.database.asSystem(async (tx) => {
      const tenant = await this.tenants.findByName(tx, request.tenant);
      if (!tenant) throw unknownTenant(request.tenant);
      const key = await this.insertKey(tx, await this.ownerOf(tx, tenant.id, request), request);
      recordOperatorAction(tx, tenant.id, 'Created API key', { apiKeyId: key.id, email: key.email });
      return key;
    });
  }

  /** @throws AppError `tenant.unknown_host` (404), `scim_token.limit_reached` (409). */
  issueScimToken(tenantName: string, name: string | null): Promise<{ id: number; scimToken: string }> {
    return this.database.asSystem(async (tx) => {
      const tenant = await this.tenants.findByName(tx, tenantName);
      if (!tenant) throw unknownTenant(tenantName);
      const wanted = { tenantId: tenant.id, name, expiresAt: null };
      const { token, secret } = await issueScimToken(tx, this.settings, this.scimTokens, wanted);
      recordOperatorAction(tx, tenant.id, 'Created SCIM token', { scimTokenId: token.id, name });
      return { id: token.id, scimToken: secret };
    });
  }

  /** @throws AppError `tenant.unknown_host` (404) without such a tenant. */
  show(name: string): Promise<TenantDetails> {
    return this.database.asSystem((tx) => this.details(tx, name));
  }

  /**
   * Changes what is given, all of it or nothing. Gateways believe a host that was taken away for some seconds.
   *
   * @throws AppError `tenant.unknown_host` (404), `tenant.exists` (409) for a host that another tenant has,
   *   `request.invalid` (400) for a host that it has not, and when none would be left.
   */
  update(
    name: string,
    { addHosts = [], removeHosts = [], allowPersonalApiKeys }: TenantChanges,
  ): Promise<TenantDetails> {
    return this.database.asSystem(async (tx) => {
      const { id, hosts } = await this.details(tx, name);
      const unknown = removeHosts.filter((host) => !hosts.includes(host));
      if (unknown.length > 0)
        throw invalidRequest('/removeHosts', `has ${unknown.join(', ')}, which the tenant has not`);
      const added = addHosts.filter((host) => !hosts.includes(host));
      if (hosts.length + added.length === removeHosts.length) throw invalidRequest('/removeHosts', 'leaves no host');
      if (added.length + removeHosts.length > 0) {
        await this.tenants.changeHosts(tx, id, added, removeHosts);
        recordOperatorAction(tx, id, 'Updated account hosts', { added, removed: [...removeHosts] });
      }
      if (allowPersonalApiKeys !== undefined) await this.allowPersonalKeys(tx, id, allowPersonalApiKeys);
      return this.details(tx, name);
    });
  }

  private async details(tx: Transaction, name: string): Promise<TenantDetails> {
    const tenant = await this.tenants.findByName(tx, name);
    if (!tenant) throw unknownTenant(name);
    const { allowPersonalApiKeys } = await this.settings.find(tx, tenant.id);
    return {
      id: tenant.id,
      name,
      createdAt: tenant.createdAt.toISOString(),
      ...(await this.tenants.summaryOf(tx, tenant.id)),
      personalApiKeys: allowPersonalApiKeys,
    };
  }

  private async allowPersonalKeys(tx: Transaction, tenantId: number, allowed: boolean): Promise<void> {
    const settings = await this.settings.findForUpdate(tx, tenantId);
    await this.settings.save(tx, { ...settings, allowPersonalApiKeys: allowed });
    recordOperatorAction(tx, tenantId, 'Updated account settings', { allowPersonalApiKeys: allowed });
  }

  private async ownerOf(tx: Transaction, tenantId: number, { email, role }: NewOperatorKey): Promise<User> {
    if (role !== undefined && email === undefined) throw invalidRequest('/email', 'is needed with a role');
    if (role !== undefined && email !== undefined) return this.operatorUsers.provide(tx, tenantId, email, role);
    const owner = email
      ? await this.users.findByEmail(tx, tenantId, email)
      : await this.users.findFirstAdmin(tx, tenantId);
    if (!owner) throw invalidRequest('/email', 'belongs to no user of this tenant');
    return owner;
  }

  private async insert(tx: Transaction, { name, hosts, adminEmail, apiKey }: NewTenant) {
    const tenant = await this.tenants.insert(
      tx,
      name,
      hosts.map((host) => host.toLowerCase()),
    );
    await this.roles.insertBuiltIn(tx, tenant.id);
    const admin = await this.users.insert(tx, { tenantId: tenant.id, email: adminEmail, isAdmin: true });
    return { ...tenant, admin: await this.insertKey(tx, admin, { name: 'First key', apiKey }) };
  }

  private async insertKey(
    tx: Transaction,
    owner: User,
    { name, deploymentIds, expires, apiKey = newSecret() }: Omit<NewOperatorKey, 'tenant' | 'email' | 'role'>,
  ): Promise<IssuedKey> {
    if (!isSecret(apiKey)) throw invalidRequest('/apiKey', 'takes sk- and at least 20 letters or digits');
    const { id } = await this.apiKeys.insert(tx, {
      tenantId: owner.tenantId,
      userId: owner.id,
      name: name ?? null,
      prefix: prefixOf(apiKey),
      tokenHash: hashOf(apiKey),
      deploymentIds: deploymentIds ?? null,
      expiresAt: futureExpiry(expires, '/expires'),
      isIssuedByOperator: true,
    });
    return { id, apiKey, email: owner.email };
  }
}

const MOST_DELETIONS = 1_000;

const needsSandbox = (reasons: string): AppError =>
  new AppError(
    'tenant.needs_sandbox',
    `Nothing keeps the programs of one tenant from another (${reasons}). docs/operations.md says what a wall needs; to do without, start the platform with PLINTH_SANDBOX=none`,
  );

const unknownTenant = (name: string): AppError =>
  new AppError('tenant.unknown_host', `There is no tenant named ${name}`);
