import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { AppConfigService } from './app-config.service';
import { AppThemeController } from './app-theme.controller';
import { TenantSettingsController } from './tenant-settings.controller';
import { TenantSettingsRepository } from './tenant-settings.repository';
import { TenantSettingsService } from './tenant-settings.service';

@Module({
  imports: [KernelModule],
  controllers: [TenantSettingsController, AppThemeController],
  providers: [TenantSettingsService, TenantSettingsRepository, AppConfigService],
  exports: [TenantSettingsService, TenantSettingsRepository, AppConfigService],
})
export class TenantSettingsModule {}
