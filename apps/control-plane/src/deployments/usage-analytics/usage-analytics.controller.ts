import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { UsageAnalyticsService } from './usage-analytics.service';

@Controller()
export class UsageAnalyticsController implements Operations<'control-plane', 'Usage Analytics'> {
  constructor(private readonly usageAnalytics: UsageAnalyticsService) {}

  @Operation('createToken')
  createToken({ principal }: Call<'createToken'>) {
    return this.usageAnalytics.createToken(principal);
  }
}
