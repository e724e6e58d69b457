import { flag, integer, setting, type ConfigOf } from '@plinth/config';

/** Which OAuth providers may be used, and how long the platform waits for them. */
export const oauthIntegrationSettings = {
  oauthAllowInsecureProviders: setting(
    'PLINTH_OAUTH_ALLOW_INSECURE_PROVIDERS',
    flag().default(false),
    'Allows OAuth providers over plain HTTP and on the machine itself. For tests and closed networks alone.',
  ),
  oauthAllowPrivateProviders: setting(
    'PLINTH_OAUTH_ALLOW_PRIVATE_PROVIDERS',
    flag().default(false),
    'Allows OAuth providers in private networks (10/8, 172.16/12, 192.168/16, 100.64/10, fc00::/7).',
  ),
  oauthProviderTimeoutMs: setting(
    'PLINTH_OAUTH_PROVIDER_TIMEOUT_MS',
    integer(500, 20_000).default(10_000),
    'Longest time that one call of an OAuth provider may take, in milliseconds.',
  ),
};

export type OAuthIntegrationConfig = ConfigOf<typeof oauthIntegrationSettings>;

export const addressPolicyOf = ({
  oauthAllowInsecureProviders,
  oauthAllowPrivateProviders,
}: OAuthIntegrationConfig) => ({
  allowInsecure: oauthAllowInsecureProviders,
  allowPrivate: oauthAllowPrivateProviders,
});
