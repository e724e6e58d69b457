import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { OAuthProviderClient, type ProviderConnection } from '../oauth-integrations/oauth-provider.client';
import {
  ProviderRevocationsRepository,
  type ProviderRevocation,
} from '../oauth-integrations/provider-revocations.repository';
import { UserOAuthTokensRepository, type OpenTokens } from './user-oauth-tokens.repository';

const POLL_MS = 1_000;
/** With the waits in between, some fourteen hours. */
const MOST_ATTEMPTS = 10;

/** Asks providers, one after the other and in nobody's way, to forget tokens whose integration or user is deleted. */
@Injectable()
export class ProviderRevocations implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly revocations: ProviderRevocationsRepository,
    private readonly tokens: UserOAuthTokensRepository,
    private readonly provider: OAuthProviderClient,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.wake(), POLL_MS).unref();
  }

  /** Finishes the call that runs; the next process goes on with the others. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  private wake(): void {
    this.running ??= this.drain()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'could not look for tokens to revoke'))
      .finally(() => (this.running = undefined));
  }

  private async drain(): Promise<void> {
    while (!this.isStopping) {
      const revocation = await this.database.asSystem((tx) => this.revocations.claim(tx));
      if (!revocation) return;
      await this.run(revocation);
    }
  }

  private async run(revocation: ProviderRevocation): Promise<void> {
    const { id, tenantId, integrationId, attempts } = revocation;
    try {
      await this.revoke({ ...revocation.client, tenantId }, this.tokens.open(revocation));
    } catch (error) {
      this.logger.warn({ err: error, tenantId, integrationId, attempts }, 'a provider did not revoke a token');
      if (attempts < MOST_ATTEMPTS && !isRefusal(error)) return;
    }
    await this.database.asSystem((tx) => this.revocations.conclude(tx, id));
  }

  /** The refresh token first: with most providers the access token ends with it. */
  private async revoke(client: ProviderConnection, { accessToken, refreshToken }: OpenTokens): Promise<void> {
    if (refreshToken !== null) await this.provider.revoke(client, refreshToken, 'refresh_token');
    await this.provider.revoke(client, accessToken, 'access_token');
  }
}

/** A provider that says no says it again. */
const isRefusal = (error: unknown): boolean => error instanceof AppError && error.code === 'oauth_provider.refused';
