import { Module } from '@nestjs/common';
import { DeploymentsDomain } from '../../deployments';
import { SignInDomain } from '../../sign-in';
import { TenancyDomain } from '../../tenancy';
import { OidcTokenConfigsController } from './oidc-token-configs.controller';
import { OidcTokenConfigsRepository } from './oidc-token-configs.repository';
import { OidcTokenConfigsService } from './oidc-token-configs.service';
import { WorkloadMintingController } from './workload-minting.controller';
import { WorkloadMinting } from './workload-minting.service';

@Module({
  imports: [TenancyDomain, SignInDomain, DeploymentsDomain],
  controllers: [OidcTokenConfigsController, WorkloadMintingController],
  providers: [OidcTokenConfigsService, OidcTokenConfigsRepository, WorkloadMinting],
  exports: [OidcTokenConfigsRepository],
})
export class OidcTokenConfigsModule {}
