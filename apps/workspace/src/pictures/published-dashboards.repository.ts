import { BaseRepository, type Transaction } from '@plinth/database';

/** A dashboard by the id of either kind. */
export type DashboardRef = { id: number } | { publicId: string };

/** Where a published dashboard is. */
export interface PublishedPlace {
  id: number;
  workbookId: number;
  workbookName: string;
}

export class PublishedDashboardsRepository extends BaseRepository {
  async find(tx: Transaction, deploymentId: number, ref: DashboardRef): Promise<PublishedPlace | undefined> {
    const [column, value] = 'id' in ref ? ['d.id', ref.id] : ['d.public_id', ref.publicId];
    const [row] = await this.managerFor(tx).query<PublishedPlace[]>(
      `select d.id, d.workbook_id as "workbookId", i.name as "workbookName"
       from dashboard d join item i on i.id = d.workbook_id
       where ${column} = $1 and d.deployment_id = $2 and d.status = 'published'`,
      [value, deploymentId],
    );
    return row;
  }
}
