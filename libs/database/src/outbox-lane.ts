import { setTimeout as delay } from 'node:timers/promises';
import { systemPrincipal } from '@plinth/auth';
import { deliveries, type Bus, type EventConsumer } from '@plinth/messaging';
import { failpoint, type Logger } from '@plinth/observability';
import type { EntityManager } from 'typeorm';
import type { Database } from './database';
import { literal } from './literal';
import { managerFor, sendWithCommit } from './transaction';

export interface OutboxLaneOptions {
  /** How often to look for events that nobody announced: those of replicas that died. */
  pollMs: number;
  /** How long an announced event waits for others to travel with. */
  gatherMs: number;
  batchSize: number;
  /** Hears of attempts to deliver events, and of how many. */
  onAttempt: (consumer: EventConsumer, result: 'delivered' | 'failed', events: number) => void;
}

interface OutboxRow {
  event_id: string;
  tenant_id: number;
  type: string;
  payload: Record<string, unknown>;
  occurred_at: Date;
}

const LONGEST_BACK_OFF_SECONDS = 60;
const SHORTEST_PAUSE_MS = 50;
/** Pause after the database failed. */
const RECOVERY_MS = 1_000;

/** The way of a service's events to one consumer. Those of other consumers go their own, however slow this one is. */
export class OutboxLane {
  private running: Promise<void> | undefined;
  private wanted = false;
  private stopped = true;
  private poll: NodeJS.Timeout | undefined;
  private retry: NodeJS.Timeout | undefined;
  /** Whether events wait for their next attempt. */
  private hasPostponed = false;

  constructor(
    private readonly consumer: EventConsumer,
    private readonly database: Database,
    private readonly bus: Pick<Bus, 'call'>,
    private readonly logger: Logger,
    private readonly options: OutboxLaneOptions,
  ) {}

  start(): void {
    this.stopped = false;
    this.poll = setInterval(() => this.wake(), this.options.pollMs);
    this.wake();
  }

  /** Finishes the deliveries that run. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.poll);
    clearTimeout(this.retry);
    await this.running;
  }

  wake(): void {
    this.wanted = true;
    if (!this.stopped) this.running ??= this.drain().finally(() => this.rest());
  }

  private rest(): void {
    this.running = undefined;
    // Woken after the last look, and before this.
    if (this.wanted) this.wake();
  }

  private async drain(): Promise<void> {
    while (this.wanted && !this.stopped) {
      await delay(this.options.gatherMs);
      this.wanted = false;
      try {
        const { claimed, taken } = await this.deliverBatch();
        // A consumer that takes nothing is asked again when the next attempt is due.
        if (claimed === this.options.batchSize && taken > 0) this.wanted = true;
        if (!this.wanted && this.hasPostponed) await this.wakeWhenDue();
      } catch (error) {
        this.logger.warn({ err: error }, 'the outbox could not be read');
        this.wakeIn(RECOVERY_MS);
      }
    }
  }

  /** Delivers what is due, at most one batch. Returns how many events that were, and how many of them were taken. */
  async deliverBatch(): Promise<{ claimed: number; taken: number }> {
    const batch = await this.database.asSystem(async (tx) => {
      const manager = managerFor(tx);
      const rows = await claim(manager, this.consumer, this.options.batchSize);
      if (rows.length === 0) return { claimed: 0, taken: 0 };
      failpoint('outbox.after-claim');
      const taken = new Set((await Promise.all(this.calls(rows).map((call) => this.deliver(call)))).flat());
      failpoint('outbox.after-deliver');
      const left = rows.filter((row) => !taken.has(row));
      if (left.length > 0) await postpone(manager, this.consumer, left);
      this.hasPostponed ||= left.length > 0;
      if (taken.size > 0) sendWithCommit(tx, deletion(this.consumer, [...taken]));
      failpoint('outbox.before-commit');
      return { claimed: rows.length, taken: taken.size };
    });
    if (batch.claimed > 0) failpoint('outbox.after-commit');
    return batch;
  }

  /** Each call carries events of one tenant, in the order in which they were claimed. */
  private calls(rows: readonly OutboxRow[]): OutboxRow[][] {
    const { atOnce } = deliveries[this.consumer];
    const calls: OutboxRow[][] = [];
    const open = new Map<number, OutboxRow[]>();
    for (const row of rows) {
      const call = open.get(row.tenant_id);
      if (call && call.length < atOnce) call.push(row);
      else {
        const next = [row];
        calls.push(next);
        open.set(row.tenant_id, next);
      }
    }
    return calls;
  }

  /** The events that were taken. What is refused together is sent one by one, so that none is in the way of another. */
  private async deliver(rows: readonly OutboxRow[]): Promise<readonly OutboxRow[]> {
    try {
      await this.send(rows);
      this.options.onAttempt(this.consumer, 'delivered', rows.length);
      return rows;
    } catch (error) {
      if (rows.length > 1) return (await Promise.all(rows.map((row) => this.deliver([row])))).flat();
      this.options.onAttempt(this.consumer, 'failed', 1);
      this.logger.warn({ err: error }, 'an event could not be delivered and will be repeated');
      return [];
    }
  }

  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const tenantId = rows[0]?.tenant_id ?? 0;
    const events = rows.map(({ event_id: eventId, type, payload, occurred_at: occurredAt }) => ({
      eventId,
      type,
      payload,
      occurredAt: occurredAt.toISOString(),
    }));
    await this.bus.call(deliveries[this.consumer].operationId, {
      principal: systemPrincipal(tenantId),
      path: {},
      query: {},
      body: { tenantId, events },
    });
  }

  private async wakeWhenDue(): Promise<void> {
    const [next] = await this.database.readAsSystem<{ ms: number | null }>(nextAttempt, [this.consumer]);
    this.hasPostponed = typeof next?.ms === 'number';
    if (typeof next?.ms === 'number') this.wakeIn(next.ms);
  }

  private wakeIn(ms: number): void {
    clearTimeout(this.retry);
    if (!this.stopped) this.retry = setTimeout(() => this.wake(), Math.max(ms, SHORTEST_PAUSE_MS));
  }
}

const claim = (manager: EntityManager, consumer: EventConsumer, limit: number): Promise<OutboxRow[]> =>
  manager.query(
    `select event_id, tenant_id, type, payload, occurred_at from outbox
     where consumer = $1 and next_attempt_at <= now() order by next_attempt_at limit $2 for update skip locked`,
    [consumer, limit],
  );

const deletion = (consumer: EventConsumer, rows: readonly OutboxRow[]): string =>
  `delete from outbox where consumer = ${literal(consumer)}
     and event_id in (${rows.map((row) => literal(row.event_id)).join(', ')})`;

/** Twice as long after every failure, from one second to a minute. */
const postpone = (manager: EntityManager, consumer: EventConsumer, rows: readonly OutboxRow[]): Promise<unknown> =>
  manager.query(
    `update outbox set attempts = attempts + 1,
       next_attempt_at = clock_timestamp() + make_interval(secs => least(${LONGEST_BACK_OFF_SECONDS}, 2 ^ least(attempts, 10)))
     where consumer = $1 and event_id = any($2::uuid[])`,
    [consumer, rows.map((row) => row.event_id)],
  );

const nextAttempt = {
  name: 'next-attempt',
  text: `select (extract(epoch from min(next_attempt_at) - clock_timestamp()) * 1000)::float8 as ms
         from outbox where consumer = $1`,
};
