import { Module } from '@nestjs/common';
import { DeploymentsModule } from '../../deployments/deployments/deployments.module';
import { OAuthModule } from '../../sign-in/oauth/oauth.module';
import { TenantSettingsModule } from '../../tenancy/tenant-settings/tenant-settings.module';
import { OidcTokenConfigsController } from './oidc-token-configs.controller';
import { OidcTokenConfigsRepository } from './oidc-token-configs.repository';
import { OidcTokenConfigsService } from './oidc-token-configs.service';
import { WorkloadMintingController } from './workload-minting.controller';
import { WorkloadMinting } from './workload-minting.service';

@Module({
  imports: [DeploymentsModule, OAuthModule, TenantSettingsModule],
  controllers: [OidcTokenConfigsController, WorkloadMintingController],
  providers: [OidcTokenConfigsService, OidcTokenConfigsRepository, WorkloadMinting],
})
export class OidcTokenConfigsModule {}
