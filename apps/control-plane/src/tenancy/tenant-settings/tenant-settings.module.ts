import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { AppConfigService } from './app-config.service';
import { AppThemeController } from './app-theme.controller';
import { TenantSettingsController } from './tenant-settings.controller';
import { TenantSettingsRepository } from './tenant-settings.repository';
import { TenantSettingsService } from './tenant-settings.service';
import { UsageAnalyticsController } from '../../deployments/usage-analytics/usage-analytics.controller';
import { UsageAnalyticsService } from '../../deployments/usage-analytics/usage-analytics.service';

@Module({
  imports: [AccessModule],
  controllers: [TenantSettingsController, AppThemeController, UsageAnalyticsController],
  providers: [TenantSettingsService, TenantSettingsRepository, AppConfigService, UsageAnalyticsService],
  exports: [TenantSettingsService, TenantSettingsRepository, AppConfigService],
})
export class TenantSettingsModule {}
