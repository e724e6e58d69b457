import { backOffSeconds, TaskRepository, type Transaction } from '@plinth/database';
import { AppError } from '@plinth/errors';
import type { Claim } from '@plinth/tasks';
import type { ProviderConnection } from './oauth-provider.client';

/** Tokens that nobody here uses any more and that their provider shall forget as well. */
export interface ProviderRevocation extends Claim {
  id: number;
  userId: number;
  integrationId: number;
  sealedAccessToken: string;
  sealedRefreshToken: string | null;
  client: Omit<ProviderConnection, 'tenantId'>;
}

/** With the waits in between, some fourteen hours. */
const MOST_ATTEMPTS = 10;
const FIRST_WAIT_SECONDS = 60;
const LONGEST_WAIT_SECONDS = 21_600;

/** Revocations that are still to be asked of providers. Secrets in it stay sealed as they were. */
export class ProviderRevocationsRepository extends TaskRepository<ProviderRevocation, void> {
  constructor() {
    super({
      table: 'provider_revocation',
      key: ['id'],
      columns: {
        id: 'id',
        user_id: 'userId',
        integration_id: 'integrationId',
        sealed_access_token: 'sealedAccessToken',
        sealed_refresh_token: 'sealedRefreshToken',
        client: 'client',
      },
      leaseSeconds: 30,
      isScheduled: true,
      order: 'candidate.attempts, candidate.next_attempt_at',
    });
  }

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
    this.added(tx);
  }

  finish(tx: Transaction, revocation: ProviderRevocation): Promise<boolean> {
    return this.removeClaimed(tx, revocation);
  }

  /** Twice as long after every failure, from a minute to six hours, and given up in the end. */
  fail(tx: Transaction, revocation: ProviderRevocation, error: unknown): Promise<boolean> {
    const { attempts } = revocation;
    if (attempts >= MOST_ATTEMPTS || isRefusal(error)) return this.finish(tx, revocation);
    const seconds = backOffSeconds(attempts, FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS);
    return this.giveUp(tx, revocation, {
      set: 'next_attempt_at = now() + make_interval(secs => $1)',
      values: [seconds],
    });
  }
}

/** A provider that says no says it again. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.code === 'oauth_provider.refused';
