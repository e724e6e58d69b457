import { BaseRepository, type Transaction } from '@plinth/database';

/** Where a published dashboard is, and whether signed embedding shows it. */
export interface EmbeddedPlace {
  id: number;
  publicId: string;
  workbookId: number;
  deploymentId: number;
  allowEmbed: boolean;
  title: string;
}

/** A dashboard as requests name it. */
export type DashboardName = { publicId: string } | { deploymentId: number; workbookId: number };

export class EmbeddedDashboardsRepository extends BaseRepository {
  /** In whatever deployment of the tenant it is. */
  async find(tx: Transaction, name: DashboardName): Promise<EmbeddedPlace | undefined> {
    const [condition, values] =
      'publicId' in name
        ? ['d.public_id = $2', [name.publicId]]
        : ['d.workbook_id = $2 and d.deployment_id = $3', [name.workbookId, name.deploymentId]];
    const [row] = await this.managerFor(tx).query<EmbeddedPlace[]>(
      `select d.id, d.public_id as "publicId", d.workbook_id as "workbookId", d.deployment_id as "deploymentId",
         d.allow_embed as "allowEmbed", coalesce(v.title, i.name) as title
       from dashboard d join item i on i.id = d.workbook_id
         join lateral (
           select title from dashboard_version where dashboard_id = d.id order by version_number desc limit 1
         ) v on true
       where d.tenant_id = $1 and d.status = 'published' and ${condition}`,
      [tx.tenantId, ...values],
    );
    return row;
  }
}
