import { randomUUID } from 'node:crypto';
import { eventConsumers, type DomainEvents, type DomainEventType, type EventConsumer } from '@plinth/messaging';
import type { PoolClient, QueryResult } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { literal } from './literal';
import { TENANT_SETTING } from './tenant-isolation';

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
  /** Statements to send with the commit. */
  readonly closing: string[] = [];
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
export const queryRunnerOf = (transaction: Transaction): QueryRunner => opened(transaction).queryRunner;

/** Sends a statement, which nobody waits for, together with the commit; for this library. */
export const sendWithCommit = (transaction: Transaction, statement: string): unknown =>
  opened(transaction).closing.push(statement);

function opened(transaction: Transaction): OpenTransaction {
  if (!(transaction instanceof OpenTransaction)) throw new TypeError('Not a transaction of this library');
  return transaction;
}

export interface TransactionHooks {
  /** Statements to send together with the start. */
  first?: readonly string[];
  /** Runs just before the events are put into the outbox and all is committed. */
  beforeCommit?: () => void;
  /** Hears how many events were emitted, and who is to hear of them. */
  afterCommit?: (emitted: number, consumers: ReadonlySet<EventConsumer>) => void;
}

/**
 * Runs `work`, with the results of the first statements, between START TRANSACTION and COMMIT; whatever it throws rolls
 * everything back. The setting of the tenant ends with the transaction.
 *
 * What opens the transaction is one message to the server, and so is what closes it: a write costs two round trips and
 * those of its work, which begins only when the tenant is set.
 */
export async function inTransaction<T>(
  queryRunner: QueryRunner,
  tenantId: number | null,
  work: (tx: Transaction, results: readonly QueryResult[]) => Promise<T>,
  { first = [], beforeCommit, afterCommit }: TransactionHooks = {},
): Promise<T> {
  const tx = new OpenTransaction(tenantId, queryRunner);
  const client = (await queryRunner.connect()) as PoolClient;
  setActive(queryRunner, true);
  try {
    const results = await send(client, [...opening(tenantId), ...first]);
    const result = await work(tx, results.slice(results.length - first.length));
    const rows = outboxRows(tx.events);
    beforeCommit?.();
    await commit(client, [...tx.closing, ...insertIntoOutbox(rows)]);
    setActive(queryRunner, false);
    for (const listener of tx.commitListeners) listener();
    afterCommit?.(tx.events.length, new Set(rows.map(({ consumer }) => consumer)));
    return result;
  } catch (error) {
    // The first error tells more than that of a roll-back on a broken connection.
    if (queryRunner.isTransactionActive) await client.query('rollback').catch(() => undefined);
    setActive(queryRunner, false);
    throw error;
  }
}

/** Tells TypeORM, which else would open a transaction of its own for what it saves. */
function setActive(queryRunner: { isTransactionActive: boolean }, active: boolean): void {
  queryRunner.isTransactionActive = active;
}

function opening(tenantId: number | null): string[] {
  if (tenantId === null) return ['start transaction'];
  if (!Number.isSafeInteger(tenantId)) throw new TypeError('A tenant id is an integer');
  return ['start transaction', `set local ${TENANT_SETTING} = '${tenantId}'`];
}

/** One message: the server runs the statements one after another, up to the first that fails. */
async function send(client: PoolClient, statements: readonly string[]): Promise<QueryResult[]> {
  const results = (await client.query(statements.join('; '))) as QueryResult | QueryResult[];
  return Array.isArray(results) ? results : [results];
}

async function commit(client: PoolClient, statements: readonly string[]): Promise<void> {
  const results = await send(client, [...statements, 'commit']);
  // The server answers so, not with an error, when a statement failed before.
  if (results.at(-1)?.command === 'ROLLBACK') throw new Error('A statement of the transaction had failed');
}

interface OutboxRow extends PendingEvent {
  eventId: string;
  consumer: EventConsumer;
}

const outboxRows = (events: readonly PendingEvent[]): OutboxRow[] =>
  events.flatMap((event) => {
    const eventId = randomUUID();
    return eventConsumers[event.type].map((consumer) => ({ ...event, eventId, consumer }));
  });

function insertIntoOutbox(rows: readonly OutboxRow[]): string[] {
  if (rows.length === 0) return [];
  const values = rows.map(({ eventId, consumer, tenantId, type, payload }) =>
    [eventId, consumer, tenantId, type, JSON.stringify(payload)].map(literal).join(', '),
  );
  return [`insert into outbox (event_id, consumer, tenant_id, type, payload) values (${values.join('), (')})`];
}
