import type { Database } from '../database';
import { managerOf, type Transaction } from '../transaction';

/** An event as it is delivered (internal contract, `DomainEvent`). */
export interface DeliveredEvent {
  eventId: string;
  tenantId: number;
  type: string;
  occurredAt: string;
  payload: Record<string, unknown>;
}

/**
 * Applies an event once, however often it is delivered: the note that it was applied is committed with its effect.
 *
 * @returns whether this delivery was the one that had the effect.
 */
export function applyOnce(
  database: Database,
  event: DeliveredEvent,
  work: (tx: Transaction) => Promise<void>,
): Promise<boolean> {
  return database.transaction(event.tenantId, async (tx) => {
    const inserted = await managerOf(tx).query<{ eventId: string }[]>(
      `insert into "${database.schema.schema}".inbox (tenant_id, event_id) values ($1, $2)
       on conflict do nothing returning event_id as "eventId"`,
      [event.tenantId, event.eventId],
    );
    if (inserted.length === 0) return false;
    await work(tx);
    return true;
  });
}
