import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { DashboardsModule } from '../dashboards/dashboards.module';
import { PythonModule } from '../python';
import { QueriesModule } from '@plinth/queries';
import { WorkspaceFeedModule } from '../workspace-feed/workspace-feed.module';
import { ContentSharesRepository } from './content-shares.repository';
import { ContentShares } from './content-shares.service';
import { EmbedAccessController } from './embed-access.controller';
import { EmbedAccessService } from './embed-access.service';
import { EmbedAudiences } from './embed-audiences.service';
import { EmbedSharesRepository } from './embed-shares.repository';
import { EmbeddedDashboardsController } from './embedded-dashboards.controller';
import { EmbeddedDashboardsRepository } from './embedded-dashboards.repository';
import { EmbeddedDashboards } from './embedded-dashboards.service';
import { PythonRunsController } from './python-runs.controller';
import { PythonRunsService } from './python-runs.service';
import { TenantWorkbooks } from './tenant-workbooks.service';

/** What embed users see of the content of an account. */
@Module({
  imports: [ContentModule, DashboardsModule, PythonModule, QueriesModule, WorkspaceFeedModule],
  controllers: [EmbedAccessController, EmbeddedDashboardsController, PythonRunsController],
  providers: [
    ContentShares,
    ContentSharesRepository,
    EmbedAccessService,
    EmbedAudiences,
    EmbedSharesRepository,
    EmbeddedDashboards,
    EmbeddedDashboardsRepository,
    PythonRunsService,
    TenantWorkbooks,
  ],
  exports: [EmbeddedDashboards, EmbedSharesRepository],
})
export class EmbeddingModule {}
