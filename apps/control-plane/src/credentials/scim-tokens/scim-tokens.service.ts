import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { AccessChanges } from '../../kernel';
import { hashOf, newSecret, prefixOf } from '../api-keys/api-key-secret';
import { futureExpiry } from '../api-keys/credential-expiry';
import { TenantSettingsRepository } from '../../tenancy';
import { toContractScimToken, type ScimToken } from './scim-token.entity';
import { ScimTokensRepository, type NewScimToken } from './scim-tokens.repository';

/** One that works, and the one that is about to take over from it. */
const MOST_LIVE = 2;

/** Credentials of identity providers. */
@Injectable()
export class ScimTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly changes: AccessChanges,
    private readonly tokens: ScimTokensRepository,
    private readonly settings: TenantSettingsRepository,
  ) {}

  async list(principal: Principal): Promise<ReplyOf<'listScimTokens'>> {
    const tokens = await this.database.transaction(principal.tenantId, (tx) => this.tokens.list(tx));
    return { items: tokens.map(toContractScimToken) };
  }

  /** The only reply that ever holds the secret. */
  async create(principal: Principal, body: BodyOf<'createScimToken'>): Promise<ReplyOf<'createScimToken'>> {
    const expiresAt = futureExpiry(body?.expiresAt);
    return this.database.mutate(principal, async (tx) => {
      const issued = await issueScimToken(tx, this.settings, this.tokens, {
        tenantId: principal.tenantId,
        name: body?.name ?? null,
        expiresAt,
      });
      return { ...toContractScimToken(issued.token), token: issued.secret };
    });
  }

  /** Revokes the token; every gateway is told at once. */
  async delete(principal: Principal, id: number): Promise<ReplyOf<'deleteScimToken'>> {
    return this.changes.mutate(principal, async (tx) => {
      if (!(await this.tokens.delete(tx, id))) {
        throw new AppError('scim_token.not_found', 'There is no such SCIM token');
      }
      return { success: true };
    });
  }
}

/**
 * A new token, within a larger piece of work. The lock on the tenant's settings keeps two writers from each making the
 * last one.
 *
 * @throws AppError `scim_token.limit_reached` (409).
 */
export async function issueScimToken(
  tx: Transaction,
  settings: TenantSettingsRepository,
  tokens: ScimTokensRepository,
  token: Omit<NewScimToken, 'prefix' | 'tokenHash'>,
): Promise<{ token: ScimToken; secret: string }> {
  await settings.findForUpdate(tx, token.tenantId);
  if ((await tokens.countLive(tx, token.tenantId)) >= MOST_LIVE) {
    throw new AppError('scim_token.limit_reached', `There are ${MOST_LIVE} SCIM tokens already: revoke one first`);
  }
  const secret = newSecret();
  const issued = await tokens.insert(tx, { ...token, prefix: prefixOf(secret), tokenHash: hashOf(secret) });
  return { token: issued, secret };
}
