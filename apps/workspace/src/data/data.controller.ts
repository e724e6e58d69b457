import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DashboardDataService } from './dashboard-data.service';
import { ReportDataService } from './report-data.service';

@Controller()
export class DataController implements Operations<'workspace', 'Report Data'> {
  constructor(
    private readonly reports: ReportDataService,
    private readonly dashboards: DashboardDataService,
  ) {}

  @Operation('getReportData')
  getReportData({ principal, path, body }: Call<'getReportData'>) {
    return this.reports.read(principal, path.deploymentId, path.reportId, body);
  }

  @Operation('getDashboardData')
  getDashboardData({ principal, path, body }: Call<'getDashboardData'>) {
    return this.dashboards.read(principal, path.deploymentId, path.workbookId, body);
  }
}
