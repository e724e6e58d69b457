import { BaseRepository, type Transaction } from '@plinth/database';
import type { DashboardConfig } from './dashboard-config';

/** Dashboards as they are being edited, one for each workbook. */
export class DraftsRepository extends BaseRepository {
  async find(tx: Transaction, workbookId: number): Promise<DashboardConfig | null> {
    const [row] = await this.managerFor(tx).query<{ draft: DashboardConfig | null }[]>(
      'select dashboard_draft as draft from workbook where id = $1',
      [workbookId],
    );
    return row?.draft ?? null;
  }

  async save(tx: Transaction, workbookId: number, draft: DashboardConfig | null): Promise<void> {
    await this.managerFor(tx).query('update workbook set dashboard_draft = $2 where id = $1', [
      workbookId,
      draft && JSON.stringify(draft),
    ]);
  }
}
