import { Module } from '@nestjs/common';
import { EngineSettingsModule } from './engine-settings/engine-settings.module';
import { OAuthIntegrationsModule } from './oauth-integrations/oauth-integrations.module';
import { OidcTokenConfigsModule } from './oidc-token-configs/oidc-token-configs.module';
import { UserOAuthTokensModule } from './user-oauth-tokens/user-oauth-tokens.module';

@Module({ imports: [OAuthIntegrationsModule, UserOAuthTokensModule, OidcTokenConfigsModule, EngineSettingsModule] })
export class IntegrationsDomain {}
