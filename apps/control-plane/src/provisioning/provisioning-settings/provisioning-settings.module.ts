import { Module } from '@nestjs/common';
import { RightsDomain } from '../../rights';
import { ProvisioningSettingsController } from './provisioning-settings.controller';
import { ProvisioningSettingsRepository } from './provisioning-settings.repository';
import { ProvisioningSettingsService } from './provisioning-settings.service';

@Module({
  imports: [RightsDomain],
  controllers: [ProvisioningSettingsController],
  providers: [ProvisioningSettingsService, ProvisioningSettingsRepository],
  exports: [ProvisioningSettingsRepository],
})
export class ProvisioningSettingsModule {}
