import { BaseRepository, type Transaction } from '@plinth/database';
import { In } from 'typeorm';
import { ReportPlacement } from './report-placement.entity';

export class ReportPlacementsRepository extends BaseRepository {
  /** Of all the reports, oldest first. */
  list(tx: Transaction, reportIds: readonly number[]): Promise<ReportPlacement[]> {
    if (reportIds.length === 0) return Promise.resolve([]);
    return this.managerFor(tx).find(ReportPlacement, {
      where: { reportId: In([...reportIds]) },
      order: { placedAt: 'asc', id: 'asc' },
    });
  }

  async save(tx: Transaction, placement: ReportPlacement): Promise<void> {
    await this.managerFor(tx).save(ReportPlacement, placement as never);
  }

  async delete(tx: Transaction, id: string): Promise<void> {
    await this.managerFor(tx).delete(ReportPlacement, { id });
  }
}
