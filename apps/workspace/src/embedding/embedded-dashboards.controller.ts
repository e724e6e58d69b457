import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddedDashboards } from './embedded-dashboards.service';

@Controller()
export class EmbeddedDashboardsController implements Operations<'workspace', 'Embedded Dashboards' | 'Embed'> {
  constructor(private readonly dashboards: EmbeddedDashboards) {}

  @Operation('getDashboard')
  getDashboard({ principal, path }: Call<'getDashboard'>) {
    return this.dashboards.get(principal, path.publicId);
  }

  @Operation('updateDashboardEmbedding')
  updateDashboardEmbedding({ principal, path, body }: Call<'updateDashboardEmbedding'>) {
    return this.dashboards.setAllowEmbed(principal, path.publicId, body);
  }

  @Operation('describeEmbeddedDashboard')
  describeEmbeddedDashboard({ principal, body }: Call<'describeEmbeddedDashboard'>) {
    return this.dashboards.describe(principal, body);
  }
}
