import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { BodyOf, ReplyOf } from '@plinth/contract';
import { Database, SecretBox } from '@plinth/database';
import { AppError } from '@plinth/errors';
import { OAuthIntegrationsRepository } from '../oauth-integrations/oauth-integrations.repository';
import { integrationNotFound } from '../oauth-integrations/oauth-integrations.service';
import { OAuthProviderClient } from '../oauth-integrations/oauth-provider.client';
import { OAuthFlowsRepository, type OpenFlow } from './oauth-flows.repository';
import { ownToken } from './own-token';
import { UserOAuthTokensRepository } from './user-oauth-tokens.repository';

const RANDOM_BYTES = 32;
const LIFETIME_MS = 600_000;

/** How users authorise integrations: out to the provider, and back with a code. */
@Injectable()
export class OAuthFlowsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(SecretBox) private readonly secrets: SecretBox,
    private readonly integrations: OAuthIntegrationsRepository,
    private readonly flows: OAuthFlowsRepository,
    private readonly tokens: UserOAuthTokensRepository,
    private readonly provider: OAuthProviderClient,
  ) {}

  async initiate(principal: Principal, integrationId: number): Promise<ReplyOf<'initiateOAuthFlow'>> {
    const owner = ownToken(principal, integrationId);
    return this.database.mutate(principal, async (tx) => {
      // The lock makes one of two flows that begin at once wait for the other, which it then replaces.
      const integration = await this.integrations.findForUpdate(tx, integrationId);
      if (!integration) throw integrationNotFound();
      const [state, verifier] = [randomText(), randomText()];
      const stateHash = createHash('sha256').update(state).digest('hex');
      const expiresAt = new Date(Date.now() + LIFETIME_MS);
      const sealedVerifier = this.secrets.seal(verifier, contextOf(stateHash));
      await this.flows.put(tx, { ...owner, stateHash, sealedVerifier, expiresAt });
      const authorizationUrl = await this.provider.authorizationUrl(integration, state, verifier);
      return { authorizationUrl, expiresAt: expiresAt.toISOString() };
    });
  }

  /** For the page on which the person sees whose account gets the authorization. */
  async describe(
    { tenantId }: Principal,
    { stateHash }: BodyOf<'describeOAuthFlow'>,
  ): Promise<ReplyOf<'describeOAuthFlow'>> {
    const { integration, email } = await this.openFlow(tenantId, stateHash);
    const providerHost = new URL(integration.authUrl).host;
    return { integrationId: integration.id, integrationName: integration.name, providerHost, email };
  }

  /** The state is used up first, whatever the provider says then: nobody tries a second code on it. */
  async complete(
    principal: Principal,
    { stateHash, integrationId, code }: BodyOf<'completeOAuthFlow'>,
  ): Promise<ReplyOf<'completeOAuthFlow'>> {
    const { tenantId } = principal;
    const { flow, integration, email } = await this.openFlow(tenantId, stateHash);
    const isTaken = await this.database.transaction(tenantId, (tx) => this.flows.takeOut(tx, flow));
    if (!isTaken || integration.id !== integrationId) throw flowNotFound();
    const verifier = this.secrets.open(flow.sealedVerifier, contextOf(stateHash));
    const tokens = await this.provider.redeem(integration, code, verifier);
    const { userId } = flow;
    await this.database.mutate({ ...principal, userId, email }, async (tx) => {
      // Deleted or turned into another application meanwhile: the tokens are nobody's.
      const current = await this.integrations.findForUpdate(tx, integrationId);
      if (current?.sealedSecret !== integration.sealedSecret) throw flowNotFound();
      await this.tokens.replace(tx, { tenantId, userId, integrationId }, tokens);
    });
    return { integrationName: integration.name, email };
  }

  private async openFlow(tenantId: number, stateHash: string): Promise<OpenFlow> {
    const open = await this.database.transaction(tenantId, (tx) => this.flows.find(tx, stateHash));
    if (!open) throw flowNotFound();
    return open;
  }
}

/** Also a PKCE verifier: RFC 7636 wants 43 to 128 of these characters. */
const randomText = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

const contextOf = (stateHash: string): string => `oauth-flow:${stateHash}`;

const flowNotFound = (): AppError =>
  new AppError('oauth_flow.not_found', 'The authorization has expired, was used, or was replaced by a newer one');
