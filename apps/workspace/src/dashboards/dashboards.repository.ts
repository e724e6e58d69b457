import { BaseRepository, type Reader, type Transaction } from '@plinth/database';
import type { DashboardConfig } from './dashboard-config';
import type { FrozenReport } from './frozen-report';

/** A dashboard in one of its versions. */
export interface DashboardRow extends NewVersion {
  id: number;
  publicId: string;
  deploymentId: number;
  workbookId: number;
  status: 'draft' | 'published' | 'archived';
  allowEmbed: boolean;
  createdBy: number | null;
  versionId: number;
  versionNumber: number;
}

export interface NewVersion {
  title: string | null;
  description: string | null;
  config: DashboardConfig;
}

export interface VersionRow extends Pick<NewVersion, 'title' | 'description'> {
  id: number;
  versionNumber: number;
  publishedBy: number | null;
  publishedAt: Date;
}

export interface NewDashboard {
  tenantId: number;
  deploymentId: number;
  workbookId: number;
  publicId: string;
  createdBy: number | null;
}

/** Published dashboards with all their versions. Writers hold the lock of the workbook. */
export class DashboardsRepository extends BaseRepository {
  /** The dashboard in the version that was published last. */
  async find(from: Reader, workbookId: number): Promise<DashboardRow | undefined> {
    const [row] = await this.prepared<DashboardRow>(
      from,
      `${dashboards} where d.workbook_id = $1 order by v.version_number desc limit 1`,
      [workbookId],
    );
    return row;
  }

  async findVersion(tx: Transaction, workbookId: number, versionId: number): Promise<DashboardRow | undefined> {
    const [row] = await this.managerFor(tx).query<DashboardRow[]>(
      `${dashboards} where d.workbook_id = $1 and v.id = $2`,
      [workbookId, versionId],
    );
    return row;
  }

  /** Newest first, those older than `beforeId` when it is given. */
  listVersions(tx: Transaction, workbookId: number, limit: number, beforeId?: number): Promise<VersionRow[]> {
    return this.managerFor(tx).query<VersionRow[]>(
      `select v.id, v.version_number as "versionNumber", v.title, v.description, v.published_by as "publishedBy",
         v.published_at as "publishedAt"
       from dashboard d join dashboard_version v on v.dashboard_id = d.id
       where d.workbook_id = $1 and ($2::int is null or v.version_number < $2)
       order by v.version_number desc limit $3`,
      [workbookId, beforeId ?? null, limit],
    );
  }

  async insert(tx: Transaction, dashboard: NewDashboard): Promise<number> {
    const { tenantId, deploymentId, workbookId, publicId, createdBy } = dashboard;
    const [row] = await this.managerFor(tx).query<[{ id: number }]>(
      `insert into dashboard (tenant_id, deployment_id, workbook_id, public_id, status, created_by)
       values ($1, $2, $3, $4, 'published', $5) returning id`,
      [tenantId, deploymentId, workbookId, publicId, createdBy],
    );
    return row.id;
  }

  async setAllowEmbed(tx: Transaction, id: number, allowEmbed: boolean): Promise<void> {
    await this.managerFor(tx).query('update dashboard set allow_embed = $2 where id = $1', [id, allowEmbed]);
  }

  /** Answers the id of the version. */
  async insertVersion(tx: Transaction, dashboardId: number, version: NewVersion, by: number | null): Promise<number> {
    const { title, description, config } = version;
    const [row] = await this.managerFor(tx).query<[{ id: number }]>(
      `insert into dashboard_version (tenant_id, dashboard_id, version_number, title, description, config, published_by)
       select d.tenant_id, d.id, coalesce((select max(version_number) from dashboard_version where dashboard_id = d.id), 0) + 1,
         $2, $3, $4, $5
       from dashboard d where d.id = $1 returning id`,
      [dashboardId, title, description, JSON.stringify(config), by],
    );
    return row.id;
  }

  async setConfig(tx: Transaction, versionId: number, config: DashboardConfig): Promise<void> {
    await this.managerFor(tx).query('update dashboard_version set config = $2 where id = $1', [
      versionId,
      JSON.stringify(config),
    ]);
  }

  async insertSnapshots(tx: Transaction, versionId: number, reports: readonly FrozenReport[]): Promise<void> {
    await this.managerFor(tx).query(
      `insert into report_snapshot (tenant_id, version_id, report_id, snapshot)
       select v.tenant_id, v.id, r.id, r.snapshot
       from dashboard_version v, unnest($2::bigint[], $3::text[]::json[]) with ordinality r(id, snapshot, place)
       where v.id = $1 order by r.place`,
      [versionId, reports.map(({ reportId }) => reportId), reports.map((report) => JSON.stringify(report))],
    );
  }

  /** In the order in which they were frozen. */
  async snapshots(from: Reader, versionId: number): Promise<(FrozenReport & { id: number })[]> {
    const rows = await this.prepared<{ id: number; snapshot: FrozenReport }>(
      from,
      'select id, snapshot from report_snapshot where version_id = $1 order by id',
      [versionId],
    );
    return rows.map(({ id, snapshot }) => ({ id, ...snapshot }));
  }
}

const dashboards = `
  select d.id, d.public_id as "publicId", d.deployment_id as "deploymentId", d.workbook_id as "workbookId", d.status,
    d.allow_embed as "allowEmbed", d.created_by as "createdBy", v.id as "versionId", v.version_number as "versionNumber",
    v.title, v.description, v.config
  from dashboard d join dashboard_version v on v.dashboard_id = d.id`;
