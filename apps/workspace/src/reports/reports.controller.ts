import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ReportListService } from './report-list.service';
import { ReportPlacementsService } from './report-placements.service';
import { ReportRefreshService } from './report-refresh.service';
import { ReportsService } from './reports.service';

@Controller()
export class ReportsController implements Operations<'workspace', 'Reports'> {
  constructor(
    private readonly lists: ReportListService,
    private readonly reports: ReportsService,
    private readonly placements: ReportPlacementsService,
    private readonly refreshes: ReportRefreshService,
  ) {}

  @Operation('getReports')
  getReports({ principal, path, query }: Call<'getReports'>) {
    return this.lists.list(principal, path.deploymentId, query);
  }

  @Operation('createReport')
  createReport({ principal, path, body }: Call<'createReport'>) {
    return this.reports.create(principal, path.deploymentId, body);
  }

  @Operation('getReport')
  getReport({ principal, path }: Call<'getReport'>) {
    return this.reports.get(principal, path.deploymentId, path.reportId);
  }

  @Operation('updateReport')
  updateReport({ principal, path, body }: Call<'updateReport'>) {
    return this.reports.update(principal, path.deploymentId, path.reportId, body);
  }

  @Operation('deleteReport')
  deleteReport({ principal, path }: Call<'deleteReport'>) {
    return this.reports.delete(principal, path.deploymentId, path.reportId);
  }

  @Operation('upsertReportByPublicId')
  upsertReportByPublicId({ principal, path, body }: Call<'upsertReportByPublicId'>) {
    return this.reports.upsert(principal, path.deploymentId, path.publicId, body);
  }

  @Operation('connectReportToWorkbook')
  connectReportToWorkbook({ principal, path, body }: Call<'connectReportToWorkbook'>) {
    return this.placements.connect(principal, path.deploymentId, path.reportId, body);
  }

  @Operation('disconnectReportFromWorkbook')
  disconnectReportFromWorkbook({ principal, path, body }: Call<'disconnectReportFromWorkbook'>) {
    return this.placements.disconnect(principal, path.deploymentId, path.reportId, body);
  }

  @Operation('refreshReport')
  refreshReport({ principal, path, body }: Call<'refreshReport'>) {
    return this.refreshes.refresh(principal, path.deploymentId, path.reportId, body);
  }
}
