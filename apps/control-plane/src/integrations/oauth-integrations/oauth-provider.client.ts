import { Inject, Injectable } from '@nestjs/common';
import { EgressError, guardedFetch, type EgressFailure, type EgressLimits } from '@plinth/egress';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  genericGrantRequest,
  refreshTokenGrant,
  ResponseBodyError,
  tokenRevocation,
  type CustomFetchOptions,
  type TokenEndpointResponse,
} from 'openid-client';
import { ClientSecrets } from './client-secrets.service';
import type { OAuthIntegration } from './oauth-integration.entity';
import { addressPolicyOf, type OAuthIntegrationConfig } from './oauth-integrations.config';

/** What it takes to speak to a provider as a client of it. */
export type ProviderConnection = Pick<
  OAuthIntegration,
  'tenantId' | 'authUrl' | 'tokenUrl' | 'clientId' | 'sealedSecret' | 'config'
>;

/** What a provider gave out. */
export interface ProviderTokens {
  accessToken: string;
  /** Null when the provider does not say. */
  accessTokenExpiresAt: Date | null;
  /** Undefined when the one before stays good. */
  refreshToken: string | undefined;
  refreshTokenExpiresAt: Date | null;
}

const ANSWER_LIMIT_BYTES = 65_536;
const LONGEST_LIFETIME_SECONDS = 315_360_000;
const ERROR_CODE = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * Talks to the authorization servers of integrations (RFC 6749, 7009, 7636).
 *
 * @throws AppError `oauth_provider.refused` (400) with the code of the provider as its cause, `oauth_provider.unavailable`
 *   (503) when there is no usable answer. Neither holds anything that was sent or received beyond that code.
 */
@Injectable()
export class OAuthProviderClient {
  private readonly limits: EgressLimits;

  constructor(
    private readonly secrets: ClientSecrets,
    @Inject(CONFIG) config: OAuthIntegrationConfig,
  ) {
    const timeoutMs = config.oauthProviderTimeoutMs;
    this.limits = { ...addressPolicyOf(config), timeoutMs, limitBytes: ANSWER_LIMIT_BYTES };
  }

  /** Where a user authorises the platform. */
  async authorizationUrl(integration: OAuthIntegration, state: string, verifier: string): Promise<string> {
    const { redirectUri, scopes, config } = integration;
    return buildAuthorizationUrl(this.configuration(integration), {
      ...config?.authorizationParameters,
      redirect_uri: redirectUri,
      ...(scopes && scopes.length > 0 && { scope: scopes.join(' ') }),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  redeem(integration: OAuthIntegration, code: string, verifier: string): Promise<ProviderTokens> {
    const grant = { code, code_verifier: verifier, redirect_uri: integration.redirectUri };
    return this.asking(integration, async (configuration) =>
      tokensOf(await genericGrantRequest(configuration, 'authorization_code', grant)),
    );
  }

  refresh(integration: OAuthIntegration, refreshToken: string): Promise<ProviderTokens> {
    return this.asking(integration, async (configuration) =>
      tokensOf(await refreshTokenGrant(configuration, refreshToken)),
    );
  }

  revoke(integration: ProviderConnection, token: string, kind: 'access_token' | 'refresh_token'): Promise<void> {
    return this.asking(integration, (configuration) =>
      tokenRevocation(configuration, token, { token_type_hint: kind }),
    );
  }

  private async asking<T>(
    integration: ProviderConnection,
    question: (configuration: Configuration) => Promise<T>,
  ): Promise<T> {
    try {
      return await question(this.configuration(integration));
    } catch (error) {
      throw publicError(error, new URL(integration.tokenUrl).host);
    }
  }

  private configuration(integration: ProviderConnection): Configuration {
    const { authUrl, tokenUrl, clientId, config } = integration;
    const { revocationUrl, tokenAuthMethod } = config ?? {};
    const server = {
      issuer: new URL(tokenUrl).origin,
      authorization_endpoint: authUrl,
      token_endpoint: tokenUrl,
      ...(revocationUrl !== undefined && { revocation_endpoint: revocationUrl }),
    };
    const prove = tokenAuthMethod === 'client_secret_post' ? ClientSecretPost : ClientSecretBasic;
    const configuration = new Configuration(server, clientId, undefined, prove(this.secrets.open(integration)));
    configuration[customFetch] = (url, options) => this.fetch(url, options);
    // Of our own limits plain HTTP is one.
    if (this.limits.allowInsecure) allowInsecureRequests(configuration);
    return configuration;
  }

  /** Without identity tokens: nobody asks who the user is there, and their issuer's keys are not known. */
  private async fetch(url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> {
    const answer = await guardedFetch(new URL(url), { method, headers, body: String(body ?? '') }, this.limits);
    const text = await answer.text();
    const { status } = answer;
    return new Response(text === '' ? null : withoutIdentity(text), { status, headers: answer.headers });
  }
}

function withoutIdentity(text: string): string {
  try {
    return JSON.stringify({ ...(JSON.parse(text) as object), id_token: undefined });
  } catch {
    return text;
  }
}

function tokensOf(response: TokenEndpointResponse): ProviderTokens {
  return {
    accessToken: response.access_token,
    accessTokenExpiresAt: expiryOf(response.expires_in),
    refreshToken: response.refresh_token,
    // No standard, and yet widespread under these two names.
    refreshTokenExpiresAt: expiryOf(response['refresh_token_expires_in'] ?? response['refresh_expires_in']),
  };
}

function expiryOf(seconds: unknown): Date | null {
  if (typeof seconds !== 'number' || !(seconds > 0)) return null;
  return new Date(Date.now() + Math.min(seconds, LONGEST_LIFETIME_SECONDS) * 1_000);
}

function publicError(error: unknown, host: string): AppError {
  if (error instanceof ResponseBodyError) {
    const cause = ERROR_CODE.test(error.error) ? error.error : 'unknown';
    return new AppError('oauth_provider.refused', `The OAuth provider ${host} refused the request: ${cause}`, {
      cause,
    });
  }
  const reason = egressFailure(error) ?? 'no usable answer';
  return new AppError('oauth_provider.unavailable', `The OAuth provider ${host} is not available: ${reason}`, {
    cause: error instanceof Error ? error.name : undefined,
    retryAfterSeconds: 30,
  });
}

/** The client library wraps what its transport throws. */
function egressFailure(error: unknown): EgressFailure | undefined {
  if (error instanceof EgressError) return error.failure;
  return error instanceof Error ? egressFailure(error.cause) : undefined;
}
