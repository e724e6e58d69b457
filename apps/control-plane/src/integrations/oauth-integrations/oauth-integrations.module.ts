import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { PeopleDomain, UserLifecycle } from '../../people';
import { ClientSecrets } from './client-secrets.service';
import { OAuthIntegrationsController } from './oauth-integrations.controller';
import { OAuthIntegrationsRepository } from './oauth-integrations.repository';
import { OAuthIntegrationsService } from './oauth-integrations.service';
import { OAuthProviderClient } from './oauth-provider.client';
import { ProviderRevocationsRepository } from './provider-revocations.repository';

@Module({
  imports: [PeopleDomain, CredentialsDomain],
  controllers: [OAuthIntegrationsController],
  providers: [
    OAuthIntegrationsService,
    OAuthIntegrationsRepository,
    ProviderRevocationsRepository,
    ClientSecrets,
    OAuthProviderClient,
  ],
  exports: [OAuthIntegrationsRepository, ProviderRevocationsRepository, OAuthProviderClient],
})
export class OAuthIntegrationsModule {
  constructor(lifecycle: UserLifecycle, revocations: ProviderRevocationsRepository) {
    lifecycle.register({ onDelete: (tx, userId) => revocations.take(tx, 'user_id', userId) });
  }
}
