import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, taskStoreOf } from '@plinth/database';
import { LOGGER, METRICS } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { TaskRunner } from '@plinth/tasks';
import type { Registry } from 'prom-client';
import { OAuthProviderClient, type ProviderConnection } from '../oauth-integrations/oauth-provider.client';
import {
  ProviderRevocationsRepository,
  type ProviderRevocation,
} from '../oauth-integrations/provider-revocations.repository';
import { UserOAuthTokensRepository, type OpenTokens } from './user-oauth-tokens.repository';

/** How long a process that stops waits for a provider before the next process asks again. */
const FINISH_WITHIN_MS = 10_000;

/** Asks providers, one after the other and in nobody's way, to forget tokens whose integration or user is deleted. */
@Injectable()
export class ProviderRevocations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly runner: TaskRunner<ProviderRevocation, void>;
  private unsubscribe: () => void = () => undefined;

  constructor(
    @Inject(Database) database: Database,
    private readonly revocations: ProviderRevocationsRepository,
    private readonly tokens: UserOAuthTokensRepository,
    private readonly provider: OAuthProviderClient,
    @Inject(LOGGER) logger: Logger,
    @Inject(METRICS) metrics: Registry,
  ) {
    this.runner = new TaskRunner({
      kind: 'revocation',
      store: taskStoreOf(database, revocations),
      work: (revocation) =>
        this.revoke({ ...revocation.client, tenantId: revocation.tenantId }, tokens.open(revocation)),
      concurrency: 1,
      drainMs: FINISH_WITHIN_MS,
      describe: ({ tenantId, integrationId }) => ({ tenantId, integrationId }),
      logger,
      metrics,
    });
  }

  onApplicationBootstrap(): void {
    this.unsubscribe = this.revocations.onAdded(() => this.runner.wake());
    this.runner.start();
  }

  /** Finishes the call that runs; the next process goes on with the others. */
  beforeApplicationShutdown(): Promise<void> {
    this.unsubscribe();
    return this.runner.stop();
  }

  /** The refresh token first: with most providers the access token ends with it. */
  private async revoke(client: ProviderConnection, { accessToken, refreshToken }: OpenTokens): Promise<void> {
    if (refreshToken !== null) await this.provider.revoke(client, refreshToken, 'refresh_token');
    await this.provider.revoke(client, accessToken, 'access_token');
  }
}
