import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddedDashboards } from './embedded-dashboards.service';

type Served = 'getDashboard' | 'updateDashboardEmbedding' | 'describeEmbeddedDashboard';

@Controller()
export class EmbeddedDashboardsController implements Pick<
  Operations<'workspace', 'Embedded Dashboards' | 'Embed'>,
  Served
> {
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
