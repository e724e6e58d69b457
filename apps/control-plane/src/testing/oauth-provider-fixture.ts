import { createHash } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { startOAuthServer, type OAuthServer, type PreparedAnswer } from '@plinth/testing';
import { ClientSecrets } from '../integrations/oauth-integrations/client-secrets.service';
import { OAuthIntegrationsRepository } from '../integrations/oauth-integrations/oauth-integrations.repository';
import { OAuthProviderClient } from '../integrations/oauth-integrations/oauth-provider.client';
import { ProviderCalls } from '../integrations/user-oauth-tokens/provider-calls.service';
import { UserAccessTokens } from '../integrations/user-oauth-tokens/user-access-tokens.service';
import {
  UserOAuthTokensRepository,
  type TokenOwner,
} from '../integrations/user-oauth-tokens/user-oauth-tokens.repository';
import { newTenantAdmin, newUser, principalOf } from './account-fixture';
import { startFixture, type Fixture, type transports } from './deployment-fixture';

export const redirectUri = 'https://acme.example.com/auth/oauth-integrations/callback';

/** A platform, and a provider beside it at which its users have accounts. */
export interface OAuthFixture {
  platform: Fixture;
  provider: OAuthServer;
  /** A tenant with an administrator, a user, and an integration with the provider. */
  newTenant(): Promise<{ admin: Principal; ada: Principal; integrationId: number }>;
  stop(): Promise<void>;
}

export async function startOAuthFixture(
  transport?: (typeof transports)[number],
  accessTokenSeconds?: number,
): Promise<OAuthFixture> {
  const provider = await startOAuthServer({ redirectUri, ...(accessTokenSeconds && { accessTokenSeconds }) });
  const platform = await startFixture(transport, {
    PLINTH_OAUTH_ALLOW_INSECURE_PROVIDERS: 'true',
    PLINTH_OAUTH_PROVIDER_TIMEOUT_MS: '5000',
  });
  return {
    platform,
    provider,
    newTenant: async () => {
      const admin = await newTenantAdmin(platform);
      const ada = principalOf(admin.tenantId, await platform.call(admin, 'createUser', { body: newUser('ada') }));
      const { id } = await platform.call(admin, 'createOAuthIntegration', { body: integrationWith(provider) });
      return { admin, ada, integrationId: id };
    },
    stop: async () => {
      await platform.stop();
      await provider.close();
    },
  };
}

/** An integration with the provider, as it is made. */
export function integrationWith({ authUrl, tokenUrl, revocationUrl, clientId, clientSecret }: OAuthServer) {
  const config = { revocationUrl, authorizationParameters: { prompt: 'login' } };
  const scopes = ['openid', 'offline_access', 'read'];
  return { name: 'Warehouse', type: 'test', redirectUri, scopes, config, authUrl, tokenUrl, clientId, clientSecret };
}

/** What a browser brings back from the provider. */
export function returnedBy({ searchParams }: URL, integrationId: number) {
  const state = searchParams.get('state') ?? '';
  const stateHash = createHash('sha256').update(state).digest('hex');
  return { stateHash, integrationId, code: searchParams.get('code') ?? '' };
}

export const failing =
  (status: number, body: object): PreparedAnswer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Access tokens of users as a replica of its own gets them. */
export function accessTokensOf({ database, secrets }: Fixture, oauthProviderTimeoutMs = 5_000) {
  const settings = { oauthAllowInsecureProviders: true, oauthAllowPrivateProviders: false, oauthProviderTimeoutMs };
  const client = new OAuthProviderClient(new ClientSecrets(secrets), settings);
  const repositories = [new OAuthIntegrationsRepository(), new UserOAuthTokensRepository(secrets)] as const;
  const tokens = new UserAccessTokens(database, ...repositories, client, new ProviderCalls());
  return { of: async (whose: TokenOwner) => (await tokens.of(whose)).accessToken };
}
