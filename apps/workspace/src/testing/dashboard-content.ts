import { randomUUID } from 'node:crypto';
import type { Schemas } from '@plinth/contract';
import { managerFor, type Database } from '@plinth/database';

interface Where {
  tenantId: number;
  deploymentId: number;
  ownerId?: number | null;
}

interface NewDashboard {
  widgets?: readonly object[];
  /** What was frozen, by the ids of the reports. */
  reports?: Readonly<Record<number, Partial<Schemas['ReportSnapshot']>>>;
  title?: string | null;
}

/** A workbook with a published dashboard, as it stands in the database. */
export async function putDashboard(
  database: Database,
  { tenantId, deploymentId, ownerId = null }: Where,
  { widgets = [], reports = {}, title = 'Orders' }: NewDashboard = {},
): Promise<{ workbookId: number; dashboardId: number; publicId: string }> {
  return database.transaction(tenantId, async (tx) => {
    const one = async (text: string, values: unknown[]): Promise<number> =>
      (await managerFor(tx).query<[{ id: number }]>(`${text} returning id`, values))[0].id;
    const workbookId = await one(
      `insert into item (tenant_id, deployment_id, type, name, owner_id) values ($1, $2, 'WORKBOOK', 'Workbook', $3)`,
      [tenantId, deploymentId, ownerId],
    );
    await one(
      `insert into workbook (id, tenant_id, deployment_id, meta, calculated_fields) values ($1, $2, $3, '{}', '{}')`,
      [workbookId, tenantId, deploymentId],
    );
    const publicId = randomUUID().replaceAll('-', '').slice(0, 12);
    const dashboardId = await one(
      `insert into dashboard (tenant_id, deployment_id, workbook_id, public_id, status)
       values ($1, $2, $3, $4, 'published')`,
      [tenantId, deploymentId, workbookId, publicId],
    );
    const version = await one(
      `insert into dashboard_version (tenant_id, dashboard_id, version_number, title, config) values ($1, $2, 1, $3, $4)`,
      [tenantId, dashboardId, title, JSON.stringify({ widgets })],
    );
    for (const [reportId, snapshot] of Object.entries(reports)) {
      await one('insert into report_snapshot (tenant_id, version_id, report_id, snapshot) values ($1, $2, $3, $4)', [
        ...[tenantId, version, reportId],
        JSON.stringify({ reportId: Number(reportId), versionNumber: 1, ...snapshot }),
      ]);
    }
    return { workbookId, dashboardId, publicId };
  });
}
