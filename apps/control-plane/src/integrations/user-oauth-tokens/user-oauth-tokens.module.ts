import { Module } from '@nestjs/common';
import { OAuthIntegrationsModule } from '../oauth-integrations/oauth-integrations.module';
import { CredentialsDomain } from '../../credentials';
import { DeploymentsDomain } from '../../deployments';
import { OAuthFlowsController } from './oauth-flows.controller';
import { OAuthFlowsRepository } from './oauth-flows.repository';
import { OAuthFlowsService } from './oauth-flows.service';
import { ProviderCalls } from './provider-calls.service';
import { ProviderRevocations } from './provider-revocations';
import { UserAccessTokens } from './user-access-tokens.service';
import { UserCredentials } from './user-credentials.service';
import { UserOAuthTokensController } from './user-oauth-tokens.controller';
import { UserOAuthTokensRepository } from './user-oauth-tokens.repository';
import { UserOAuthTokensService } from './user-oauth-tokens.service';

@Module({
  imports: [OAuthIntegrationsModule, CredentialsDomain, DeploymentsDomain],
  controllers: [UserOAuthTokensController, OAuthFlowsController],
  providers: [
    UserOAuthTokensService,
    UserOAuthTokensRepository,
    OAuthFlowsService,
    OAuthFlowsRepository,
    ProviderCalls,
    UserAccessTokens,
    ProviderRevocations,
    UserCredentials,
  ],
})
export class UserOAuthTokensModule {}
