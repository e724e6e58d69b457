import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { DashboardVersionsService } from './dashboard-versions.service';
import { DashboardsRepository } from './dashboards.repository';
import { DashboardsService } from './dashboards.service';
import { DraftsRepository } from './drafts.repository';
import { Publisher } from './publisher.service';
import { ReportsToFreezeRepository } from './reports-to-freeze.repository';

@Module({
  imports: [ContentModule],
  providers: [
    DashboardsService,
    DashboardVersionsService,
    Publisher,
    DashboardsRepository,
    DraftsRepository,
    ReportsToFreezeRepository,
  ],
  exports: [DashboardsService, DashboardVersionsService, DashboardsRepository, Publisher, DraftsRepository],
})
export class DashboardsModule {}
