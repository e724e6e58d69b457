import { BaseRepository, type Transaction } from '@plinth/database';
import { DbtSyncLog, type LogLine } from './dbt-sync-log.entity';

/** Lines of one run. */
export const MAX_LINES = 2_000;
/** Characters of a line. */
const MAX_MESSAGE = 2_000;

export class DbtSyncLogsRepository extends BaseRepository {
  async append(tx: Transaction, run: { tenantId: number; id: number }, lines: readonly LogLine[]): Promise<void> {
    if (lines.length === 0) return;
    const rows = lines.map((line) => ({
      ...line,
      message: line.message.slice(0, MAX_MESSAGE).replaceAll('\0', ''),
      syncId: run.id,
      tenantId: run.tenantId,
      writtenAt: () => 'clock_timestamp()',
    }));
    await this.managerFor(tx).insert(DbtSyncLog, rows);
  }

  /** Oldest first. */
  list(tx: Transaction, syncId: number): Promise<DbtSyncLog[]> {
    return this.managerFor(tx).find(DbtSyncLog, { where: { syncId }, order: { id: 'ASC' }, take: MAX_LINES });
  }
}
