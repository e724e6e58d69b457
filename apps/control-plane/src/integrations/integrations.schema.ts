import type { DomainSchema } from '../kernel';
import { ClaimProviderRevocations1701100000000 } from './migrations/pre-deploy/1701100000000-ClaimProviderRevocations.migration';
import { OAuthIntegration } from './oauth-integrations/oauth-integration.entity';
import { OidcTokenConfig } from './oidc-token-configs/oidc-token-config.entity';
import { OAuthFlow } from './user-oauth-tokens/oauth-flow.entity';
import { UserOAuthToken } from './user-oauth-tokens/user-oauth-token.entity';
import { CreateIntegrations1700440000000 } from './migrations/pre-deploy/1700440000000-CreateIntegrations.migration';
import { QueueProviderRevocations1700700000002 } from './migrations/pre-deploy/1700700000002-QueueProviderRevocations.migration';

/** What the control plane keeps about other platforms. */
export const integrationsSchema = {
  entities: [OAuthIntegration, UserOAuthToken, OAuthFlow, OidcTokenConfig],
  migrations: [
    CreateIntegrations1700440000000,
    QueueProviderRevocations1700700000002,
    ClaimProviderRevocations1701100000000,
  ],
  retention: [{ table: 'oauth_flow', expired: 'expires_at < now()' }],
} satisfies DomainSchema;
