import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { QueriesModule } from '@plinth/queries';
import { Placements } from './placements.service';
import { ReportListService } from './report-list.service';
import { ReportPlaces } from './report-places.service';
import { ReportPlacementsRepository } from './report-placements.repository';
import { ReportPlacementsService } from './report-placements.service';
import { ReportRefreshService } from './report-refresh.service';
import { ReportRuns } from './report-runs.service';
import { ReportViews } from './report-views.service';
import { ReportWrites } from './report-writes.service';
import { ReportsController } from './reports.controller';
import { ReportsRepository } from './reports.repository';
import { ReportsService } from './reports.service';

@Module({
  imports: [ContentModule, QueriesModule],
  controllers: [ReportsController],
  providers: [
    Placements,
    ReportListService,
    ReportPlaces,
    ReportPlacementsRepository,
    ReportPlacementsService,
    ReportRefreshService,
    ReportRuns,
    ReportViews,
    ReportWrites,
    ReportsRepository,
    ReportsService,
  ],
  exports: [ReportsRepository, ReportWrites],
})
export class ReportsModule {}
