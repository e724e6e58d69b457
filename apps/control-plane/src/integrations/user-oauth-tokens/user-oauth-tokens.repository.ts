import { Inject, Injectable } from '@nestjs/common';
import { BaseRepository, SecretBox, type Database, type Transaction } from '@plinth/database';
import type { ProviderTokens } from '../oauth-integrations/oauth-provider.client';
import { UserOAuthToken } from './user-oauth-token.entity';

/** Whose token for what. */
export type TokenOwner = Pick<UserOAuthToken, 'tenantId' | 'userId' | 'integrationId'>;

/** Tokens as they are stored, which open for their owner alone. */
export type SealedTokens = TokenOwner & Pick<UserOAuthToken, 'sealedAccessToken' | 'sealedRefreshToken'>;

/** Tokens as the provider gave them. */
export interface OpenTokens {
  accessToken: string;
  refreshToken: string | null;
}

@Injectable()
export class UserOAuthTokensRepository extends BaseRepository {
  constructor(@Inject(SecretBox) private readonly secrets: SecretBox) {
    super();
  }

  /** All of the user, which the limit on the number of integrations bounds. */
  list(tx: Transaction, userId: number): Promise<UserOAuthToken[]> {
    return this.managerFor(tx).find(UserOAuthToken, { where: { userId }, order: { id: 'ASC' } });
  }

  /** What the user has authorised, by the names of the integrations. */
  listNames(database: Database, tenantId: number, userId: number): Promise<{ name: string; integrationId: number }[]> {
    const statement = {
      name: 'integrations-authorised-by-user',
      text: `select i.name, i.id as "integrationId" from user_oauth_token t
             join oauth_integration i on i.id = t.integration_id where t.user_id = $1 order by i.id`,
    };
    return database.read(tenantId, statement, [userId]);
  }

  find(tx: Transaction, { userId, integrationId }: TokenOwner): Promise<UserOAuthToken | null> {
    return this.managerFor(tx).findOneBy(UserOAuthToken, { userId, integrationId });
  }

  /** As {@link find}, and nobody renews or revokes it before the transaction ends. */
  findForUpdate(tx: Transaction, { userId, integrationId }: TokenOwner): Promise<UserOAuthToken | null> {
    const where = { userId, integrationId };
    return this.managerFor(tx).findOne(UserOAuthToken, { where, lock: { mode: 'pessimistic_write' } });
  }

  open(token: SealedTokens): OpenTokens {
    const { sealedAccessToken, sealedRefreshToken } = token;
    return {
      accessToken: this.secrets.open(sealedAccessToken, contextOf(token, 'access')),
      refreshToken: sealedRefreshToken && this.secrets.open(sealedRefreshToken, contextOf(token, 'refresh')),
    };
  }

  /** Begins anew what the user has authorised. */
  async replace(tx: Transaction, owner: TokenOwner, tokens: ProviderTokens): Promise<void> {
    await this.delete(tx, owner);
    await this.managerFor(tx).insert(UserOAuthToken, { ...owner, ...this.sealed(owner, tokens), lastError: null });
  }

  /** A renewal without a new refresh token leaves the one before, which then is still good. */
  renew(tx: Transaction, token: UserOAuthToken, tokens: ProviderTokens): Promise<UserOAuthToken> {
    const { sealedRefreshToken, refreshTokenExpiresAt, ...access } = this.sealed(token, tokens);
    const refresh = sealedRefreshToken === null ? {} : { sealedRefreshToken, refreshTokenExpiresAt };
    const renewed = { ...token, ...access, ...refresh, lastError: null, updatedAt: new Date() };
    return this.managerFor(tx).save(UserOAuthToken, renewed);
  }

  save(tx: Transaction, token: UserOAuthToken): Promise<UserOAuthToken> {
    return this.managerFor(tx).save(UserOAuthToken, { ...token, updatedAt: new Date() });
  }

  async delete(tx: Transaction, { userId, integrationId }: TokenOwner): Promise<void> {
    await this.managerFor(tx).delete(UserOAuthToken, { userId, integrationId });
  }

  private sealed(owner: TokenOwner, { accessToken, refreshToken, ...expiries }: ProviderTokens) {
    return {
      ...expiries,
      sealedAccessToken: this.secrets.seal(accessToken, contextOf(owner, 'access')),
      sealedRefreshToken:
        refreshToken === undefined ? null : this.secrets.seal(refreshToken, contextOf(owner, 'refresh')),
    };
  }
}

const contextOf = ({ tenantId, userId, integrationId }: TokenOwner, kind: 'access' | 'refresh'): string =>
  `tenant:${tenantId}:user:${userId}:oauth-integration:${integrationId}:${kind}`;
