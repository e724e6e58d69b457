import { Inject, Injectable } from '@nestjs/common';
import { Database, type Transaction } from '@plinth/database';
import { AppError, invalidRequest } from '@plinth/errors';
import { hashOf, isSecret, newSecret, prefixOf } from '../api-keys/api-key-secret';
import { ApiKeysRepository } from '../api-keys/api-keys.repository';
import { RolesRepository } from '../roles/roles.repository';
import type { User } from '../users/user.entity';
import { UsersRepository } from '../users/users.repository';
import { TenantsRepository, type TenantWithHosts } from './tenants.repository';

export interface NewTenant {
  name: string;
  hosts: readonly string[];
  adminEmail: string;
  /** Secret of the administrator's first key; a new one when absent. */
  apiKey?: string | undefined;
}

export interface NewOperatorKey {
  tenant: string;
  /** Owner of the key; the first administrator when absent. */
  email?: string | undefined;
  name?: string | undefined;
  deploymentIds?: number[] | undefined;
  apiKey?: string | undefined;
}

export interface IssuedKey {
  id: number;
  apiKey: string;
  email: string;
}

/** What the operator does across tenants. Runs as the system: there is no caller whose rights could be checked. */
@Injectable()
export class TenantsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly tenants: TenantsRepository,
    private readonly users: UsersRepository,
    private readonly apiKeys: ApiKeysRepository,
    private readonly roles: RolesRepository,
  ) {}

  /** @throws AppError `tenant.exists` (409) for a taken name or host. */
  create(tenant: NewTenant): Promise<TenantWithHosts & { admin: IssuedKey }> {
    return this.database.asSystem((tx) => this.insert(tx, tenant));
  }

  list(): Promise<TenantWithHosts[]> {
    return this.database.asSystem((tx) => this.tenants.list(tx));
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

  /** @throws AppError `tenant.unknown_host` (404) without such a tenant, `request.invalid` (400) without such a user. */
  issueKey(request: NewOperatorKey): Promise<IssuedKey> {
    return this.database.asSystem(async (tx) => {
      const tenant = await this.tenants.findByName(tx, request.tenant);
      if (!tenant) throw new AppError('tenant.unknown_host', `There is no tenant named ${request.tenant}`);
      const owner = request.email
        ? await this.users.findByEmail(tx, tenant.id, request.email)
        : await this.users.findFirstAdmin(tx, tenant.id);
      if (!owner) throw invalidRequest('/email', 'belongs to no user of this tenant');
      return this.insertKey(tx, owner, request);
    });
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
    { name, deploymentIds, apiKey = newSecret() }: Pick<NewOperatorKey, 'name' | 'deploymentIds' | 'apiKey'>,
  ): Promise<IssuedKey> {
    if (!isSecret(apiKey)) throw invalidRequest('/apiKey', 'takes sk- and at least 20 letters or digits');
    const { id } = await this.apiKeys.insert(tx, {
      tenantId: owner.tenantId,
      userId: owner.id,
      name: name ?? null,
      prefix: prefixOf(apiKey),
      tokenHash: hashOf(apiKey),
      deploymentIds: deploymentIds ?? null,
    });
    return { id, apiKey, email: owner.email };
  }
}
