import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddedDashboards } from './embedded-dashboards.service';

@Controller()
export class EmbeddedDashboardsController implements Operations<'workspace', 'Embedded Dashboards'> {
  constructor(private readonly dashboards: EmbeddedDashboards) {}

  @Operation('describeEmbeddedDashboard')
  describeEmbeddedDashboard({ principal, body }: Call<'describeEmbeddedDashboard'>) {
    return this.dashboards.describe(principal, body);
  }
}
