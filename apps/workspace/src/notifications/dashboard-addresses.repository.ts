import { BaseRepository, type Transaction } from '@plinth/database';

/** Where people find dashboards. */
export class DashboardAddresses extends BaseRepository {
  async find(tx: Transaction, id: number): Promise<{ publicId: string; workbookId: number }> {
    const [row] = await this.managerFor(tx).query<[{ publicId: string; workbookId: number }]>(
      'select public_id as "publicId", workbook_id as "workbookId" from dashboard where id = $1',
      [id],
    );
    return row;
  }
}
