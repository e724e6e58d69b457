import { BaseRepository, type Transaction } from '@plinth/database';
import type { ProviderConnection } from './oauth-provider.client';

/** Tokens that nobody here uses any more and that their provider shall forget as well. */
export interface ProviderRevocation {
  id: number;
  tenantId: number;
  userId: number;
  integrationId: number;
  sealedAccessToken: string;
  sealedRefreshToken: string | null;
  client: Omit<ProviderConnection, 'tenantId'>;
  /** Of asking the provider, this one included. */
  attempts: number;
}

/** The first wait is longer than one attempt can take, so that an attempt under way is not made twice. */
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 21_600;

/** Revocations that are still to be asked of providers. Secrets in it stay sealed as they were. */
export class ProviderRevocationsRepository extends BaseRepository {
  /** Takes over the tokens of an integration, or of a user, before they are deleted. Nobody renews them meanwhile. */
  async take(tx: Transaction, column: 'integration_id' | 'user_id', id: number): Promise<void> {
    await this.managerFor(tx).query(
      `insert into provider_revocation
         (tenant_id, user_id, integration_id, sealed_access_token, sealed_refresh_token, client)
       select t.tenant_id, t.user_id, t.integration_id, t.sealed_access_token, t.sealed_refresh_token,
         jsonb_build_object('authUrl', i.auth_url, 'tokenUrl', i.token_url, 'clientId', i.client_id,
           'sealedSecret', i.sealed_secret, 'config', i.config)
       from user_oauth_token t join oauth_integration i on i.id = t.integration_id
       where t.${column} = $1 and i.config ? 'revocationUrl'
       for update of t`,
      [id],
    );
  }

  /** One that is due, those before others that were tried less often. It comes up again unless it is concluded. */
  async claim(tx: Transaction): Promise<ProviderRevocation | undefined> {
    const [rows] = (await this.managerFor(tx).query(
      `update provider_revocation set attempts = attempts + 1,
         next_attempt_at = now() + make_interval(secs => least($1 * 2 ^ attempts, $2))
       where id = (
         select id from provider_revocation where next_attempt_at <= now()
         order by attempts, next_attempt_at limit 1 for update skip locked)
       returning id, tenant_id as "tenantId", user_id as "userId", integration_id as "integrationId", client,
         sealed_access_token as "sealedAccessToken", sealed_refresh_token as "sealedRefreshToken", attempts`,
      [FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS],
    )) as [ProviderRevocation[]];
    return rows[0];
  }

  async conclude(tx: Transaction, id: number): Promise<void> {
    await this.managerFor(tx).query('delete from provider_revocation where id = $1', [id]);
  }
}
