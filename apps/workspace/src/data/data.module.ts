import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { DashboardsModule } from '../dashboards/dashboards.module';
import { EmbeddingModule } from '../embedding/embedding.module';
import { PythonModule } from '../python';
import { QueriesModule } from '@plinth/queries';
import { ReportsModule } from '../reports';
import { DashboardDataService } from './dashboard-data.service';
import { DataController } from './data.controller';
import { DataResults } from './data-results.service';
import { ReportDataService } from './report-data.service';

@Module({
  imports: [ContentModule, DashboardsModule, EmbeddingModule, PythonModule, QueriesModule, ReportsModule],
  controllers: [DataController],
  providers: [DashboardDataService, DataResults, ReportDataService],
  exports: [DataResults],
})
export class DataModule {}
