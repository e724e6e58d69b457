import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { DashboardVersionsService } from '../dashboards/dashboard-versions.service';
import { DashboardsService } from '../dashboards/dashboards.service';
import { WorkbookCopies } from './workbook-copies.service';
import { WorkbookWrites } from './workbook-writes.service';
import { WorkbooksService } from './workbooks.service';

@Controller()
export class WorkbooksController implements Operations<'workspace', 'Workbooks'> {
  constructor(
    private readonly workbooks: WorkbooksService,
    private readonly writes: WorkbookWrites,
    private readonly copies: WorkbookCopies,
    private readonly dashboards: DashboardsService,
    private readonly versions: DashboardVersionsService,
  ) {}

  @Operation('getWorkbooks')
  getWorkbooks({ principal, path, query }: Call<'getWorkbooks'>) {
    return this.workbooks.list(principal, path, query);
  }

  @Operation('createWorkbook')
  createWorkbook({ principal, path, body }: Call<'createWorkbook'>) {
    return this.writes.create(principal, path, body);
  }

  @Operation('upsertWorkbookBySlug')
  upsertWorkbookBySlug({ principal, path, body }: Call<'upsertWorkbookBySlug'>) {
    return this.writes.upsert(principal, path, body);
  }

  @Operation('getWorkbook')
  getWorkbook({ principal, path }: Call<'getWorkbook'>) {
    return this.workbooks.get(principal, path);
  }

  @Operation('updateWorkbook')
  updateWorkbook({ principal, path, body }: Call<'updateWorkbook'>) {
    return this.writes.update(principal, path, body);
  }

  @Operation('deleteWorkbook')
  deleteWorkbook({ principal, path }: Call<'deleteWorkbook'>) {
    return this.workbooks.delete(principal, path);
  }

  @Operation('duplicateWorkbook')
  duplicateWorkbook({ principal, path, body }: Call<'duplicateWorkbook'>) {
    return this.copies.duplicate(principal, path, body);
  }

  @Operation('markWorkbookAsFavorite')
  markWorkbookAsFavorite({ principal, path }: Call<'markWorkbookAsFavorite'>) {
    return this.workbooks.mark(principal, path);
  }

  @Operation('unmarkWorkbookAsFavorite')
  unmarkWorkbookAsFavorite({ principal, path }: Call<'unmarkWorkbookAsFavorite'>) {
    return this.workbooks.unmark(principal, path);
  }

  @Operation('updateWorkbookDashboard')
  updateWorkbookDashboard({ principal, path, body }: Call<'updateWorkbookDashboard'>) {
    return this.dashboards.saveDraft(principal, path, body);
  }

  @Operation('publishDashboard')
  publishDashboard({ principal, path, body }: Call<'publishDashboard'>) {
    return this.dashboards.publish(principal, path, body);
  }

  @Operation('updatePublishedDashboardAiWidgetThread')
  updatePublishedDashboardAiWidgetThread({ principal, path, body }: Call<'updatePublishedDashboardAiWidgetThread'>) {
    return this.dashboards.setThread(principal, path, body);
  }

  @Operation('listDashboardVersions')
  listDashboardVersions({ principal, path, query }: Call<'listDashboardVersions'>) {
    return this.versions.list(principal, path, query);
  }

  @Operation('getDashboardVersion')
  getDashboardVersion({ principal, path }: Call<'getDashboardVersion'>) {
    return this.versions.get(principal, path);
  }

  @Operation('restoreDashboardVersion')
  restoreDashboardVersion({ principal, path }: Call<'restoreDashboardVersion'>) {
    return this.versions.restore(principal, path);
  }
}
