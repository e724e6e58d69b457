import { Module } from '@nestjs/common';
import { ContentModule } from '../content';
import { DashboardsModule } from '../dashboards/dashboards.module';
import { ReportsModule } from '../reports';
import { WorkbooksModule } from '../workbooks/workbooks.module';
import { AsCodeController } from './as-code.controller';
import { ExportService } from './export.service';
import { ImportService } from './import.service';
import { ImportWrites } from './import-writes.service';
import { StoredContentRepository } from './stored-content.repository';

/** Content as files, both ways. */
@Module({
  imports: [ContentModule, DashboardsModule, ReportsModule, WorkbooksModule],
  controllers: [AsCodeController],
  providers: [ExportService, ImportService, ImportWrites, StoredContentRepository],
})
export class AsCodeModule {}
