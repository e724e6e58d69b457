import { Module } from '@nestjs/common';
import { TenancyDomain } from '../../tenancy';
import { UsageAnalyticsController } from './usage-analytics.controller';
import { UsageAnalyticsService } from './usage-analytics.service';

@Module({ imports: [TenancyDomain], controllers: [UsageAnalyticsController], providers: [UsageAnalyticsService] })
export class UsageAnalyticsModule {}
