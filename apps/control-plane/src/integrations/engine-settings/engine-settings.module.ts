import { Module } from '@nestjs/common';
import { DeploymentsDomain } from '../../deployments';
import { TenancyDomain } from '../../tenancy';
import { OidcTokenConfigsModule } from '../oidc-token-configs/oidc-token-configs.module';
import { EngineSettingsController } from './engine-settings.controller';
import { EngineSettingsService } from './engine-settings.service';

@Module({
  imports: [TenancyDomain, DeploymentsDomain, OidcTokenConfigsModule],
  controllers: [EngineSettingsController],
  providers: [EngineSettingsService],
})
export class EngineSettingsModule {}
