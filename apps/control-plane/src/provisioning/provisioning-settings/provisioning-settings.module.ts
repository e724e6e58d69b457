import { Module } from '@nestjs/common';
import { RolesModule } from '../../rights/roles/roles.module';
import { ProvisioningSettingsController } from './provisioning-settings.controller';
import { ProvisioningSettingsRepository } from './provisioning-settings.repository';
import { ProvisioningSettingsService } from './provisioning-settings.service';

@Module({
  imports: [RolesModule],
  controllers: [ProvisioningSettingsController],
  providers: [ProvisioningSettingsService, ProvisioningSettingsRepository],
  exports: [ProvisioningSettingsRepository],
})
export class ProvisioningSettingsModule {}
