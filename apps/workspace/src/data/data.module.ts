import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { QueriesModule } from '../queries';
import { ReportsModule } from '../reports';
import { DashboardDataService } from './dashboard-data.service';
import { DashboardReadsRepository } from './dashboard-reads.repository';
import { DataController } from './data.controller';
import { DataResults } from './data-results.service';
import { ReportDataService } from './report-data.service';

@Module({
  imports: [ContentModule, QueriesModule, ReportsModule],
  controllers: [DataController],
  providers: [DashboardDataService, DashboardReadsRepository, DataResults, ReportDataService],
})
export class DataModule {}
