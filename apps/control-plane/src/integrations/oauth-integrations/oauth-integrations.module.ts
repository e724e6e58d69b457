import { Module } from '@nestjs/common';
import { SecretsModule } from '../../credentials/secrets/secrets.module';
import { ClientSecrets } from './client-secrets.service';
import { OAuthIntegrationsController } from './oauth-integrations.controller';
import { OAuthIntegrationsRepository } from './oauth-integrations.repository';
import { OAuthIntegrationsService } from './oauth-integrations.service';
import { OAuthProviderClient } from './oauth-provider.client';
import { ProviderRevocationsRepository } from './provider-revocations.repository';

@Module({
  imports: [SecretsModule],
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
export class OAuthIntegrationsModule {}
