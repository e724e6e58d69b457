import { Inject, Injectable } from '@nestjs/common';
import { requireUnscoped, visibleDeployments, type Principal } from '@plinth/auth';
import type { BodyOf, QueryOf, ReplyOf } from '@plinth/contract';
import { byId, Database, keysetList, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { TenantSettingsRepository } from '../../tenancy';
import { credentialIdOf, toContractApiKey } from './api-key.entity';
import { hashOf, newSecret, prefixOf } from './api-key-secret';
import { ApiKeysRepository, type KeyOwner } from './api-keys.repository';
import { futureExpiry } from './credential-expiry';

@Injectable()
export class ApiKeysService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly changes: AccessChanges,
    private readonly apiKeys: ApiKeysRepository,
    private readonly settings: TenantSettingsRepository,
  ) {}

  async list(principal: Principal, query: QueryOf<'listApiKeys'>): Promise<ReplyOf<'listApiKeys'>> {
    const owner = visibleOwner(principal);
    const page = await keysetList(query, {
      name: 'api-keys',
      filters: owner,
      positionOf: byId,
      read: (limit, [beforeId]) =>
        this.database.transaction(principal.tenantId, (tx) => this.apiKeys.list(tx, owner, limit, beforeId)),
    });
    return { ...page, items: page.items.map((key) => toContractApiKey(key, key.user.email)) };
  }

  /** The only reply that ever holds the secret. */
  async create(principal: Principal, body: BodyOf<'createApiKey'>): Promise<ReplyOf<'createApiKey'>> {
    const userId = ownerOf(principal);
    const deploymentIds = body?.deploymentIds ? [...new Set(body.deploymentIds)] : null;
    requireReach(principal, deploymentIds ?? []);
    const expiresAt = futureExpiry(body?.expiresAt);
    return this.database.mutate(principal, async (tx) => {
      if (!principal.isAdmin) await this.requirePersonalKeys(tx, principal.tenantId);
      const secret = newSecret();
      const key = await this.apiKeys.insert(tx, {
        tenantId: principal.tenantId,
        userId,
        name: body?.name ?? null,
        prefix: prefixOf(secret),
        tokenHash: hashOf(secret),
        deploymentIds,
        expiresAt,
      });
      return { ...toContractApiKey(key, principal.email), token: secret };
    });
  }

  async get(principal: Principal, id: number): Promise<ReplyOf<'getApiKey'>> {
    const owner = visibleOwner(principal);
    const key = await this.database.transaction(principal.tenantId, (tx) => this.apiKeys.findById(tx, owner, id));
    if (!key) throw notFound();
    return toContractApiKey(key, key.user.email);
  }

  /** Revokes the key; every gateway is told at once. One that is limited to deployments can revoke itself alone. */
  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteApiKey'>> {
    if (principal.credentialId !== credentialIdOf(id)) requireUnscoped(principal);
    return this.changes.mutate(principal, async (tx) => {
      if (!(await this.apiKeys.delete(tx, visibleOwner(principal), id))) throw notFound();
      return { success: true };
    });
  }

  private async requirePersonalKeys(tx: Transaction, tenantId: number): Promise<void> {
    const { allowPersonalApiKeys } = await this.settings.find(tx, tenantId);
    if (!allowPersonalApiKeys) {
      throw new AppError('access.personal_keys_off', 'This account accepts API keys of administrators alone');
    }
  }
}

/** Whose keys the principal sees: an administrator everybody's, anybody else their own. */
const visibleOwner = (principal: Principal): KeyOwner => (principal.isAdmin ? {} : { userId: ownerOf(principal) });

function ownerOf({ userId }: Principal): number {
  if (userId === null) throw new AppError('access.denied', 'Only a user can own an API key');
  return userId;
}

/** A key is limited to deployments that its owner reaches. */
function requireReach(principal: Principal, deploymentIds: readonly number[]): void {
  const reached = visibleDeployments(principal, 'DeploymentRead');
  const beyond = reached && deploymentIds.find((id) => !reached.includes(id));
  if (beyond) throw new AppError('access.denied', `You do not reach the deployment ${beyond}`);
}

const notFound = (): AppError => new AppError('api_key.not_found', 'There is no such API key');
