import { randomUUID } from 'node:crypto';
import { eventConsumers, type DomainEvents, type DomainEventType } from '@plinth/messaging';
import type { ActiveTransaction } from '../transaction';

/** One row for each consumer, in the transaction of the change that the event tells of. */
export async function insertEvent<Type extends DomainEventType>(
  tx: ActiveTransaction,
  type: Type,
  payload: DomainEvents[Type],
): Promise<void> {
  await tx.manager.query(
    `insert into "${tx.schema}".outbox (event_id, tenant_id, type, payload, consumer)
     select $1, $2, $3, $4, unnest($5::text[])`,
    [randomUUID(), tx.tenantId, type, JSON.stringify(payload), [...eventConsumers[type]]],
  );
}
