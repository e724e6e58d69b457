import { systemPrincipal } from '@plinth/auth';
import { deliverySubject, type Bus, type EventConsumer } from '@plinth/messaging';
import { failpoint, type Logger } from '@plinth/observability';
import type { EntityManager } from 'typeorm';
import type { Database } from './database';
import { managerFor } from './transaction';

export interface OutboxRelayOptions {
  /** How often to look for events that nobody announced: of other replicas, and due retries. */
  pollMs?: number;
  batchSize?: number;
  /** Hears of every attempt to deliver an event. */
  onAttempt?: (consumer: EventConsumer, result: 'delivered' | 'failed') => void;
}

interface OutboxRow {
  event_id: string;
  consumer: EventConsumer;
  tenant_id: number;
  type: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
}

const LONGEST_BACK_OFF_SECONDS = 60;

/**
 * Delivers a service's events, each at least once to each of its consumers, in no particular order. An event is deleted
 * when its consumer has acknowledged it; a relay that dies in between delivers it again, and the consumer's
 * `applyOnce` takes it once.
 *
 * The rows stay locked while they are delivered, so several replicas share the work, and one that dies gives its rows
 * back at once.
 */
export class OutboxRelay {
  private readonly pollMs: number;
  private readonly batchSize: number;
  private readonly onAttempt: NonNullable<OutboxRelayOptions['onAttempt']>;
  private running: Promise<void> | undefined;
  private wanted = false;
  private stopped = true;
  private timer: NodeJS.Timeout | undefined;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly bus: Pick<Bus, 'call'>,
    private readonly logger: Logger,
    { pollMs = 1_000, batchSize = 20, onAttempt = () => undefined }: OutboxRelayOptions = {},
  ) {
    this.pollMs = pollMs;
    this.batchSize = batchSize;
    this.onAttempt = onAttempt;
  }

  start(): void {
    this.stopped = false;
    this.unsubscribe = this.database.onEvents(() => this.wake());
    this.timer = setInterval(() => this.wake(), this.pollMs);
    this.wake();
  }

  /** Finishes the deliveries that run. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    this.unsubscribe?.();
    await this.running;
  }

  private wake(): void {
    this.wanted = true;
    if (!this.stopped) this.running ??= this.drain().finally(() => (this.running = undefined));
  }

  private async drain(): Promise<void> {
    while (this.wanted && !this.stopped) {
      this.wanted = false;
      try {
        if ((await this.deliverBatch()) === this.batchSize) this.wanted = true;
      } catch (error) {
        this.logger.warn({ err: error }, 'the outbox could not be read');
      }
    }
  }

  /** Delivers what is due, at most one batch. Returns how many events were due. */
  async deliverBatch(): Promise<number> {
    const due = await this.database.asSystem(async (tx) => {
      const manager = managerFor(tx);
      const rows = await claim(manager, this.batchSize);
      failpoint('outbox.after-claim');
      const outcomes = await Promise.allSettled(rows.map((row) => this.deliver(row)));
      failpoint('outbox.after-deliver');
      await forget(
        manager,
        rows.filter((_, index) => outcomes[index]?.status === 'fulfilled'),
      );
      await postpone(
        manager,
        rows.filter((_, index) => outcomes[index]?.status === 'rejected'),
      );
      for (const outcome of outcomes) if (outcome.status === 'rejected') this.report(outcome.reason);
      failpoint('outbox.before-commit');
      return rows.length;
    });
    failpoint('outbox.after-commit');
    return due;
  }

  private report(error: unknown): void {
    this.logger.warn({ err: error }, 'an event could not be delivered and will be repeated');
  }

  private async deliver(row: OutboxRow): Promise<void> {
    const { event_id: eventId, tenant_id: tenantId, occurred_at: occurredAt, consumer, type, payload } = row;
    try {
      await this.bus.call(deliverySubject[consumer], {
        principal: systemPrincipal(tenantId),
        path: {},
        query: {},
        body: { eventId, tenantId, type, payload, occurredAt: occurredAt.toISOString() },
      });
      this.onAttempt(consumer, 'delivered');
    } catch (error) {
      this.onAttempt(consumer, 'failed');
      throw error;
    }
  }
}

const claim = (manager: EntityManager, limit: number): Promise<OutboxRow[]> =>
  manager.query(
    `select event_id, consumer, tenant_id, type, payload, occurred_at from outbox
     where next_attempt_at <= now() order by next_attempt_at limit $1 for update skip locked`,
    [limit],
  );

const keysOf = (rows: readonly OutboxRow[]): [string[], string[]] => [
  rows.map((row) => row.event_id),
  rows.map((row) => row.consumer),
];

async function forget(manager: EntityManager, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await manager.query(
    'delete from outbox where (event_id, consumer) in (select * from unnest($1::uuid[], $2::text[]))',
    keysOf(rows),
  );
}

/** Twice as long after every failure, from one second to a minute. */
async function postpone(manager: EntityManager, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await manager.query(
    `update outbox set attempts = attempts + 1,
       next_attempt_at = clock_timestamp() + make_interval(secs => least(${LONGEST_BACK_OFF_SECONDS}, 2 ^ least(attempts, 10)))
     where (event_id, consumer) in (select * from unnest($1::uuid[], $2::text[]))`,
    keysOf(rows),
  );
}
