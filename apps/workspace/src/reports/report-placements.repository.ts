import { BaseRepository, type Reader, type Transaction } from '@plinth/database';
import { ReportPlacement } from './report-placement.entity';

const placementColumns = `id, tenant_id as "tenantId", report_id as "reportId", host, sheet_id as "sheetId",
  external_workbook_id as "externalWorkbookId", external_workbook_name as "externalWorkbookName",
  sheet_name as "sheetName", anchor_cell as "anchorCell", end_result_cell as "endResultCell",
  result_location as "resultLocation", query_checksum as "queryChecksum", result_checksum as "resultChecksum",
  placed_at as "placedAt", placed_by as "placedBy", refreshed_at as "refreshedAt", refreshed_by as "refreshedBy"`;

export class ReportPlacementsRepository extends BaseRepository {
  /** Of all the reports, oldest first. */
  async list(from: Reader, reportIds: readonly number[]): Promise<ReportPlacement[]> {
    if (reportIds.length === 0) return [];
    return this.prepared<ReportPlacement>(
      from,
      `select ${placementColumns} from report_placement where report_id = any($1::bigint[]) order by placed_at, id`,
      [reportIds],
    );
  }

  async save(tx: Transaction, placement: ReportPlacement): Promise<void> {
    await this.managerFor(tx).save(ReportPlacement, placement as never);
  }

  async delete(tx: Transaction, id: string): Promise<void> {
    await this.managerFor(tx).delete(ReportPlacement, { id });
  }
}
