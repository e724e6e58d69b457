import { systemPrincipal } from '@plinth/auth';
import { deliveries, type Bus, type EventConsumer } from '@plinth/messaging';
import { failpoint, type Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { EntityManager } from 'typeorm';
import type { Database } from './database';
import { literal } from './literal';
import { managerFor, sendWithCommit } from './transaction';

export interface OutboxLaneOptions {
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

/** Which events were taken, and why the others were not. */
interface Outcome {
  taken: readonly OutboxRow[];
  errors: readonly unknown[];
}

const LONGEST_BACK_OFF_SECONDS = 60;
const SHORTEST_PAUSE_MS = 50;
/** Pause after the consumer took nothing. */
const RECOVERY_MS = 1_000;

/**
 * The way of a service's events to one consumer, which looks for them when it is woken. Those of other consumers go their
 * own, however slow this one is.
 */
export class OutboxLane {
  private readonly loop: WakeableLoop;
  /** Whether events wait for their next attempt. */
  private hasPostponed = false;
  private readonly delivery: (typeof deliveries)[EventConsumer];

  constructor(
    private readonly consumer: EventConsumer,
    private readonly database: Database,
    private readonly bus: Pick<Bus, 'call'>,
    private readonly logger: Logger,
    private readonly options: OutboxLaneOptions,
  ) {
    this.delivery = deliveries[consumer];
    const { gatherMs } = this.delivery;
    this.loop = new WakeableLoop(() => this.round(), { name: 'read the outbox', gatherMs, logger });
  }

  start(): void {
    this.loop.start();
  }

  /** Finishes the deliveries that run. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  wake(): void {
    this.loop.wake();
  }

  /** Tells in how many milliseconds there is more to deliver, when that is known. */
  private async round(): Promise<number | undefined> {
    const { claimed, taken } = await this.deliverBatch();
    // A consumer that takes nothing is not asked for the rest at once.
    const isAway = claimed > 0 && taken === 0;
    if (claimed === this.delivery.atOnce && !isAway) return 0;
    return this.hasPostponed ? this.nextAttemptIn(isAway ? RECOVERY_MS : SHORTEST_PAUSE_MS) : undefined;
  }

  /** Delivers what is due, at most one batch. Returns how many events that were, and how many of them were taken. */
  async deliverBatch(): Promise<{ claimed: number; taken: number }> {
    const batch = await this.database.asSystem(async (tx) => {
      const manager = managerFor(tx);
      const rows = await claim(manager, this.consumer, this.delivery.atOnce);
      if (rows.length === 0) return { claimed: 0, taken: 0 };
      failpoint('outbox.after-claim');
      const { taken, errors } = await this.deliverAll(this.calls(rows));
      failpoint('outbox.after-deliver');
      this.report(errors);
      if (taken.length > 0) sendWithCommit(tx, deletion(this.consumer, taken));
      if (taken.length < rows.length) await this.postpone(manager, rows, taken);
      failpoint('outbox.before-commit');
      return { claimed: rows.length, taken: taken.length };
    });
    if (batch.claimed > 0) failpoint('outbox.after-commit');
    return batch;
  }

  /** Each call carries events of one tenant, in the order in which they were claimed. */
  private calls(rows: readonly OutboxRow[]): OutboxRow[][] {
    if (!this.delivery.together) return rows.map((row) => [row]);
    const calls = new Map<number, OutboxRow[]>();
    for (const row of rows) {
      const call = calls.get(row.tenant_id);
      if (call) call.push(row);
      else calls.set(row.tenant_id, [row]);
    }
    return [...calls.values()];
  }

  /** What is refused together is sent one by one, so that no event is in the way of another. */
  private async deliver(rows: readonly OutboxRow[]): Promise<Outcome> {
    try {
      await this.send(rows);
      this.options.onAttempt(this.consumer, 'delivered', rows.length);
      return { taken: rows, errors: [] };
    } catch (error) {
      if (rows.length > 1) return this.deliverAll(rows.map((row) => [row]));
      this.options.onAttempt(this.consumer, 'failed', 1);
      return { taken: [], errors: [error] };
    }
  }

  private async deliverAll(calls: readonly (readonly OutboxRow[])[]): Promise<Outcome> {
    const outcomes = await Promise.all(calls.map((call) => this.deliver(call)));
    return { taken: outcomes.flatMap(({ taken }) => taken), errors: outcomes.flatMap(({ errors }) => errors) };
  }

  private async postpone(
    manager: EntityManager,
    rows: readonly OutboxRow[],
    taken: readonly OutboxRow[],
  ): Promise<void> {
    const gone = new Set(taken);
    const left = rows.filter((row) => !gone.has(row)).map((row) => row.event_id);
    await manager.query(postponement, [this.consumer, left]);
    this.hasPostponed = true;
  }

  private report(errors: readonly unknown[]): void {
    if (errors.length === 0) return;
    const facts = { err: errors[0], consumer: this.consumer, events: errors.length };
    this.logger.warn(facts, 'an event could not be delivered and will be repeated');
  }

  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const tenantId = rows[0]?.tenant_id ?? 0;
    const events = rows.map(({ event_id: eventId, type, payload, occurred_at: occurredAt }) => ({
      eventId,
      type,
      payload,
      occurredAt: occurredAt.toISOString(),
    }));
    await this.bus.call(this.delivery.operationId, {
      principal: systemPrincipal(tenantId),
      path: {},
      query: {},
      body: { tenantId, events },
    });
  }

  private async nextAttemptIn(pauseMs: number): Promise<number | undefined> {
    const [next] = await this.database.readAsSystem<{ ms: number | null }>(nextAttempt, [this.consumer]);
    this.hasPostponed = typeof next?.ms === 'number';
    return typeof next?.ms === 'number' ? Math.max(next.ms, pauseMs) : undefined;
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
const postponement = `
  update outbox set attempts = attempts + 1,
    next_attempt_at = clock_timestamp() + make_interval(secs => least(${LONGEST_BACK_OFF_SECONDS}, 2 ^ least(attempts, 10)))
  where consumer = $1 and event_id = any($2::uuid[])`;

const nextAttempt = {
  name: 'next-attempt',
  text: `select (extract(epoch from min(next_attempt_at) - clock_timestamp()) * 1000)::float8 as ms
         from outbox where consumer = $1`,
};
