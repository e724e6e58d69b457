import { randomUUID } from 'node:crypto';
import { eventConsumers, type DomainEvents, type DomainEventType, type EventConsumer } from '@plinth/messaging';
import type { PoolClient, QueryResult } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { literal } from './literal';
import type { NamedStatement } from './named-statement';
import { send as sendStatement, type Reader } from './reader';
import { TENANT_SETTING } from './tenant-isolation';

/** A transaction as services see it: something to hand to repositories, and to announce events in. */
export interface Transaction extends Reader {
  /** Null in a transaction across tenants. */
  readonly tenantId: number | null;
  /**
   * Announces the event to its consumers if, and only if, the transaction commits.
   * A transaction across tenants names the tenant.
   */
  emit<T extends DomainEventType>(type: T, payload: DomainEvents[T], tenantId?: number): void;
  /** Calls the listener once the transaction has committed, and never when it is rolled back. What it throws is logged. */
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

  async [sendStatement]<Row>(statement: NamedStatement, values: readonly unknown[]): Promise<Row[]> {
    const client = (await this.queryRunner.connect()) as PoolClient;
    return (await client.query({ ...statement, values: [...values] })).rows as Row[];
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
  /** Tells those who are to hear of the commit. */
  afterCommit: (commit: Commit) => void;
}

/** A transaction that has committed. */
export interface Commit {
  /** Those that its work has named. */
  listeners: readonly (() => void)[];
  /** Whose events it has put into the outbox. */
  consumers: ReadonlySet<EventConsumer>;
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
  { first = [], beforeCommit, afterCommit }: TransactionHooks,
): Promise<T> {
  const tx = new OpenTransaction(tenantId, queryRunner);
  const client = (await queryRunner.connect()) as PoolClient;
  setActive(queryRunner, true);
  let result: T;
  try {
    const results = await send(client, [...opening(tenantId), ...first]);
    result = await work(tx, results.slice(results.length - first.length));
    beforeCommit?.();
    await commit(client, [...tx.closing, ...insertIntoOutbox(tx.events)]);
  } catch (error) {
    // The first error tells more than that of a roll-back on a broken connection.
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    setActive(queryRunner, false);
  }
  afterCommit({ listeners: tx.commitListeners, consumers: new Set(tx.events.flatMap(consumersOf)) });
  return result;
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

const consumersOf = ({ type }: PendingEvent): readonly EventConsumer[] => eventConsumers[type];

function insertIntoOutbox(events: readonly PendingEvent[]): string[] {
  const values = events.flatMap((event) => {
    const { tenantId, type, payload } = event;
    const eventId = randomUUID();
    return consumersOf(event).map((consumer) =>
      [eventId, consumer, tenantId, type, JSON.stringify(payload)].map(literal).join(', '),
    );
  });
  if (values.length === 0) return [];
  return [`insert into outbox (event_id, consumer, tenant_id, type, payload) values (${values.join('), (')})`];
}
