import { BaseRepository, type Transaction } from '@plinth/database';

/** A widget of a dashboard, as far as data goes. */
export interface Widget {
  id: string;
  type: string;
  config?: Record<string, unknown> | null;
}

/** A dashboard in the version that was published last. */
export interface PublishedDashboard {
  id: number;
  versionId: number;
  versionNumber: number;
  config: { widgets?: Widget[] | null };
}

/** What was frozen of a report. */
export interface FrozenReport {
  id: number;
  reportId: number;
  snapshot: {
    kind?: string | null;
    name?: string | null;
    title?: string | null;
    jsonQuery?: string | null;
    sqlQuery?: string | null;
  };
}

/** Published dashboards, to be read alone. */
export class DashboardReadsRepository extends BaseRepository {
  async findPublished(tx: Transaction, workbookId: number): Promise<PublishedDashboard | undefined> {
    const [found] = await this.managerFor(tx).query<PublishedDashboard[]>(
      `select d.id, v.id as "versionId", v.version_number as "versionNumber", v.config
       from dashboard d join dashboard_version v on v.dashboard_id = d.id
       where d.workbook_id = $1 and d.status = 'published' order by v.version_number desc limit 1`,
      [workbookId],
    );
    return found;
  }

  snapshots(tx: Transaction, versionId: number): Promise<FrozenReport[]> {
    const text = 'select id, report_id as "reportId", snapshot from report_snapshot where version_id = $1 order by id';
    return this.managerFor(tx).query(text, [versionId]) as Promise<FrozenReport[]>;
  }
}
