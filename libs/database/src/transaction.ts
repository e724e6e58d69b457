import { randomUUID } from 'node:crypto';
import { eventConsumers, type DomainEvents, type DomainEventType } from '@plinth/messaging';
import type { EntityManager, QueryRunner } from 'typeorm';

/** A transaction as services see it: something to hand to repositories, and to announce events in. */
export interface Transaction {
  /** Null in a transaction across tenants. */
  readonly tenantId: number | null;
  /**
   * Announces the event to its consumers if, and only if, the transaction commits.
   * A transaction across tenants names the tenant.
   */
  emit<T extends DomainEventType>(type: T, payload: DomainEvents[T], tenantId?: number): void;
  /** Calls the listener, which must not throw, once the transaction has committed, and never when it is rolled back. */
  onCommit(listener: () => void): void;
}

/** An event on its way into the outbox. */
export interface PendingEvent {
  type: DomainEventType;
  payload: object;
  tenantId: number;
}

class OpenTransaction implements Transaction {
  readonly events: PendingEvent[] = [];
  readonly commitListeners: (() => void)[] = [];

  constructor(
    readonly tenantId: number | null,
    readonly queryRunner: QueryRunner,
  ) {}

  emit<T extends DomainEventType>(type: T, payload: DomainEvents[T], tenantId = this.tenantId): void {
    if (tenantId === null) throw new Error(`${type} is emitted across tenants and must name its tenant`);
    this.events.push({ type, payload, tenantId });
  }

  onCommit(listener: () => void): void {
    this.commitListeners.push(listener);
  }
}

/** TypeORM's side of a transaction; for repositories and this library. */
export const managerFor = (transaction: Transaction): EntityManager => queryRunnerOf(transaction).manager;

/** The connection of a transaction; for this library. */
export function queryRunnerOf(transaction: Transaction): QueryRunner {
  if (!(transaction instanceof OpenTransaction)) throw new TypeError('Not a transaction of this library');
  return transaction.queryRunner;
}

export interface TransactionHooks {
  /** Runs just before the commit, after the events are in the outbox. */
  beforeCommit?: () => void;
  afterCommit?: (emitted: number) => void;
}

/** Runs `work` between START TRANSACTION and COMMIT; whatever it throws rolls everything back. */
export async function inTransaction<T>(
  queryRunner: QueryRunner,
  tenantId: number | null,
  work: (tx: Transaction) => Promise<T>,
  { beforeCommit, afterCommit }: TransactionHooks = {},
): Promise<T> {
  const tx = new OpenTransaction(tenantId, queryRunner);
  await queryRunner.startTransaction();
  try {
    const result = await work(tx);
    await writeToOutbox(queryRunner, tx.events);
    beforeCommit?.();
    await queryRunner.commitTransaction();
    for (const listener of tx.commitListeners) listener();
    afterCommit?.(tx.events.length);
    return result;
  } catch (error) {
    // The first error tells more than that of a roll-back on a broken connection.
    if (queryRunner.isTransactionActive) await queryRunner.rollbackTransaction().catch(() => undefined);
    throw error;
  }
}

async function writeToOutbox(queryRunner: QueryRunner, events: readonly PendingEvent[]): Promise<void> {
  const rows = events.flatMap(({ type, payload, tenantId }) => {
    const eventId = randomUUID();
    return eventConsumers[type].map((consumer) => ({
      event_id: eventId,
      consumer,
      tenant_id: tenantId,
      type,
      payload,
    }));
  });
  if (rows.length === 0) return;
  await queryRunner.query(
    `insert into outbox (event_id, consumer, tenant_id, type, payload)
     select event_id, consumer, tenant_id, type, payload
     from jsonb_to_recordset($1::jsonb)
       as row (event_id uuid, consumer text, tenant_id bigint, type text, payload jsonb)`,
    [JSON.stringify(rows)],
  );
}
