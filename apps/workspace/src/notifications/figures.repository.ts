import { BaseRepository, type Transaction } from '@plinth/database';
import type { Figure } from './figures';

export interface SeenFigures {
  figures: Figure[];
  seenAt: Date;
}

const KEPT_DAYS = 90;

/** What recipients of a notification saw last, by what their queries ran under. */
export class FiguresRepository extends BaseRepository {
  async find(tx: Transaction, notificationId: number, subjectKey: string): Promise<SeenFigures | undefined> {
    const [row] = await this.managerFor(tx).query<SeenFigures[]>(
      `select figures, seen_at as "seenAt" from notification_figures where notification_id = $1 and subject_key = $2`,
      [notificationId, subjectKey],
    );
    return row;
  }

  /** Drops those of the notification that nobody has seen for long. */
  async keep(
    tx: Transaction,
    { tenantId, notificationId }: { tenantId: number; notificationId: number },
    subjectKey: string,
    { figures, seenAt }: SeenFigures,
  ): Promise<void> {
    const manager = this.managerFor(tx);
    await manager.query(
      `insert into notification_figures (tenant_id, notification_id, subject_key, figures, seen_at)
       values ($1, $2, $3, $4, $5)
       on conflict (notification_id, subject_key) do update set figures = excluded.figures, seen_at = excluded.seen_at`,
      [tenantId, notificationId, subjectKey, JSON.stringify(figures), seenAt],
    );
    await manager.query(
      `delete from notification_figures where notification_id = $1 and seen_at < now() - make_interval(days => $2)`,
      [notificationId, KEPT_DAYS],
    );
  }
}
