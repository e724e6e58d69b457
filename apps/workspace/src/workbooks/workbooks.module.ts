import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { DashboardsModule } from '../dashboards/dashboards.module';
import { ReportCopiesRepository } from './report-copies.repository';
import { WorkbookCopies } from './workbook-copies.service';
import { WorkbookViews } from './workbook-views.service';
import { WorkbookWrites } from './workbook-writes.service';
import { WorkbooksController } from './workbooks.controller';
import { WorkbooksRepository } from './workbooks.repository';
import { WorkbooksService } from './workbooks.service';

@Module({
  imports: [ContentModule, DashboardsModule],
  controllers: [WorkbooksController],
  providers: [
    WorkbooksService,
    WorkbookWrites,
    WorkbookCopies,
    WorkbookViews,
    WorkbooksRepository,
    ReportCopiesRepository,
  ],
  exports: [WorkbooksRepository],
})
export class WorkbooksModule {}
