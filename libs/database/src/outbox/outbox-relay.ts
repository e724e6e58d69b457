import { systemPrincipal } from '@plinth/auth';
import { deliverySubject, type Bus, type EventConsumer } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import type { Database, SystemQuery } from '../database';

interface OutboxRow {
  id: number;
  tenantId: number;
  eventId: string;
  type: string;
  consumer: EventConsumer;
  payload: Record<string, unknown>;
  occurredAt: Date;
}

const batchSize = 50;
const pollMs = 1_000;
/** Longest pause between two attempts for one event, in seconds. */
const maximumDelaySeconds = 60;
/** How long a row stays reserved for the relay that took it; longer than a delivery may run. */
const reservationSeconds = 30;

/**
 * Delivers the events of a service's outbox over the bus. A row is reserved, delivered, and deleted once its consumer
 * has acknowledged it; a relay that dies leaves the row to the next one. So every event arrives at least once, and
 * the consumer's inbox makes that exactly once in effect.
 */
export class OutboxRelay {
  private running: Promise<void> = Promise.resolve();
  private wakeUp: () => void = () => undefined;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.database.onEmit(() => this.wakeUp());
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.wakeUp();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const delivered = await this.deliverBatch().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'the outbox could not be read');
        return 0;
      });
      if (delivered < batchSize && !this.stopped) await this.pause();
    }
  }

  private async deliverBatch(): Promise<number> {
    const rows = await this.database.asSystem((query) => this.reserve(query));
    await Promise.all(rows.map((row) => this.deliver(row)));
    return rows.length;
  }

  private reserve(query: SystemQuery): Promise<OutboxRow[]> {
    return query<OutboxRow>(
      `update outbox set attempts = attempts + 1, next_attempt_at = now() + make_interval(secs => $2)
       where id in (
         select id from outbox where next_attempt_at <= now() order by next_attempt_at, id
         limit $1 for update skip locked
       )
       returning id, tenant_id as "tenantId", event_id as "eventId", type, consumer, payload,
         occurred_at as "occurredAt"`,
      [batchSize, reservationSeconds],
    );
  }

  private async deliver(row: OutboxRow): Promise<void> {
    try {
      await this.bus.call(deliverySubject[row.consumer], {
        principal: systemPrincipal(row.tenantId),
        path: {},
        query: {},
        body: {
          eventId: row.eventId,
          tenantId: row.tenantId,
          type: row.type,
          occurredAt: row.occurredAt.toISOString(),
          payload: row.payload,
        },
      });
      await this.database.asSystem((query) => query('delete from outbox where id = $1', [row.id]));
    } catch (error) {
      this.logger.warn({ err: error, eventId: row.eventId, type: row.type }, 'an event could not be delivered yet');
      await this.postpone(row).catch(() => undefined);
    }
  }

  private async postpone({ id }: OutboxRow): Promise<void> {
    await this.database.asSystem((query) =>
      query(
        `update outbox set next_attempt_at = now() + make_interval(secs => least($2, power(2, least(attempts, 10)) / 4))
         where id = $1`,
        [id, maximumDelaySeconds],
      ),
    );
  }

  private pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pollMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
