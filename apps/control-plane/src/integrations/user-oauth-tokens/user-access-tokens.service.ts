import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { ReplyOf } from '@plinth/contract';
import { Database, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { OAuthIntegrationsRepository } from '../oauth-integrations/oauth-integrations.repository';
import { OAuthProviderClient } from '../oauth-integrations/oauth-provider.client';
import { ownToken } from './own-token';
import { ProviderCalls } from './provider-calls.service';
import { isFresh, isRenewable, type UserOAuthToken } from './user-oauth-token.entity';
import { tokenNotFound } from './user-oauth-tokens.service';
import { UserOAuthTokensRepository, type TokenOwner } from './user-oauth-tokens.repository';

/** A token is renewed while it is still good for this long, which covers the request that it is for. */
const MARGIN_MS = 60_000;

/** Tokens that live shorter than the margin are used for half their time. */
const marginOf = ({ accessTokenExpiresAt, updatedAt }: UserOAuthToken): number =>
  Math.min(MARGIN_MS, ((accessTokenExpiresAt?.getTime() ?? Infinity) - updatedAt.getTime()) / 2);

/** A token of the provider's, and when it expires; null when the provider does not say. */
export interface FreshToken {
  accessToken: string;
  expiresAt: Date | null;
}

/** Access tokens of users for those who act for them: fresh ones, renewed when that is due. */
@Injectable()
export class UserAccessTokens {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly integrations: OAuthIntegrationsRepository,
    private readonly tokens: UserOAuthTokensRepository,
    private readonly provider: OAuthProviderClient,
    private readonly calls: ProviderCalls,
  ) {}

  /** The caller's own token, for programs that act in their name elsewhere. */
  async issue(principal: Principal, integrationId: number): Promise<ReplyOf<'issueUserOAuthAccessToken'>> {
    const { accessToken, expiresAt } = await this.of(ownToken(principal, integrationId));
    return this.database.mutate(principal, async () => ({ accessToken, expiresAt: expiresAt?.toISOString() ?? null }));
  }

  /**
   * An access token that is good for another minute, or half the time for which the provider gives one.
   *
   * @throws AppError `oauth_token.not_found` (404), `oauth_token.unusable` (409) when the user has to authorise the
   *   integration again or its provider is in the way.
   */
  async of(owner: TokenOwner): Promise<FreshToken> {
    const stored = await this.database.transaction(owner.tenantId, (tx) => this.tokens.find(tx, owner));
    if (!stored) throw tokenNotFound();
    const token = this.isDue(stored) ? await this.calls.run(() => this.renewOnce(owner)) : stored;
    if (!isFresh(token, new Date())) throw unusable(token);
    return { accessToken: this.tokens.open(token).accessToken, expiresAt: token.accessTokenExpiresAt };
  }

  private isDue(token: UserOAuthToken): boolean {
    return !isFresh(token, new Date(Date.now() + marginOf(token))) && isRenewable(token, new Date());
  }

  /** Whoever waits for the row finds the token renewed: providers take a rotated refresh token once. */
  private renewOnce(owner: TokenOwner): Promise<UserOAuthToken> {
    return this.database.transaction(owner.tenantId, async (tx) => {
      const token = await this.tokens.findForUpdate(tx, owner);
      if (!token) throw tokenNotFound();
      return this.isDue(token) ? this.renew(tx, token) : token;
    });
  }

  private async renew(tx: Transaction, token: UserOAuthToken): Promise<UserOAuthToken> {
    const integration = await this.integrations.find(tx, token.integrationId);
    const { refreshToken } = this.tokens.open(token);
    if (!integration || refreshToken === null) throw tokenNotFound();
    try {
      return await this.tokens.renew(tx, token, await this.provider.refresh(integration, refreshToken));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return this.tokens.save(tx, afterFailure(token, error));
    }
  }
}

/** The provider has ended the authorization (RFC 6749, 5.2): asking again is of no use. */
const ENDED = 'invalid_grant';

function afterFailure(token: UserOAuthToken, error: AppError): UserOAuthToken {
  const code = error.code === 'oauth_provider.refused' ? String(error.cause) : 'unavailable';
  const lastError = { code, message: error.message, occurredAt: new Date().toISOString() };
  return { ...token, lastError, ...(code === ENDED && { sealedRefreshToken: null, refreshTokenExpiresAt: null }) };
}

const unusable = ({ lastError }: UserOAuthToken): AppError =>
  new AppError('oauth_token.unusable', lastError?.message ?? 'The authorization has expired: authorise it again');
