import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { OAuthIntegrationsRepository } from '../oauth-integrations/oauth-integrations.repository';
import { OAuthProviderClient } from '../oauth-integrations/oauth-provider.client';
import { ownToken, ownUserId } from './own-token';
import { ProviderCalls } from './provider-calls.service';
import { toContractToken, type UserOAuthToken } from './user-oauth-token.entity';
import { UserOAuthTokensRepository } from './user-oauth-tokens.repository';

/** What the calling user has authorised. */
@Injectable()
export class UserOAuthTokensService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly integrations: OAuthIntegrationsRepository,
    private readonly tokens: UserOAuthTokensRepository,
    private readonly provider: OAuthProviderClient,
    private readonly calls: ProviderCalls,
  ) {}

  async list(principal: Principal): Promise<ReplyOf<'listUserOAuthTokens'>> {
    const userId = ownUserId(principal);
    const rows = await this.database.transaction(principal.tenantId, (tx) => this.tokens.list(tx, userId));
    return rows.map(toContractToken);
  }

  async get(principal: Principal, integrationId: number): Promise<ReplyOf<'getUserOAuthToken'>> {
    const owner = ownToken(principal, integrationId);
    const token = await this.database.transaction(principal.tenantId, (tx) => this.tokens.find(tx, owner));
    if (!token) throw tokenNotFound();
    return toContractToken(token);
  }

  /** A crash in between leaves a token that the provider no longer knows, never one that only the provider knows. */
  async revoke(principal: Principal, integrationId: number): Promise<ReplyOf<'revokeUserOAuthToken'>> {
    const owner = ownToken(principal, integrationId);
    return this.calls.run(() =>
      this.database.mutate(principal, async (tx) => {
        const token = await this.tokens.findForUpdate(tx, owner);
        if (!token) throw tokenNotFound();
        const revokedAtProvider = await this.revokeAtProvider(tx, token);
        await this.tokens.delete(tx, owner);
        return { success: true, revokedAtProvider };
      }),
    );
  }

  private async revokeAtProvider(tx: Transaction, token: UserOAuthToken): Promise<boolean> {
    const integration = await this.integrations.find(tx, token.integrationId);
    if (integration?.config?.revocationUrl === undefined) return false;
    const { accessToken, refreshToken } = this.tokens.open(token);
    try {
      if (refreshToken !== null) await this.provider.revoke(integration, refreshToken, 'refresh_token');
      await this.provider.revoke(integration, accessToken, 'access_token');
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }
}

export const tokenNotFound = (): AppError =>
  new AppError('oauth_token.not_found', 'You have not authorised this OAuth integration');
