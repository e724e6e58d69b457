import { eventConsumers, type Bus, type EventConsumer } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { Database } from './database';
import { OutboxLane, type OutboxLaneOptions } from './outbox-lane';

export interface OutboxRelayOptions extends Partial<OutboxLaneOptions> {
  /** How often to look for events that nobody announced: those of replicas that died. */
  pollMs?: number;
}

const POLL_MS = 10_000;

/**
 * Delivers a service's events, each at least once to each of its consumers, as many together as there are and in no order
 * that consumers may rely on. An event is deleted when its consumer has acknowledged it; a relay that dies in between
 * delivers it again, and the consumer's `applyOnce` takes it once.
 *
 * The rows stay locked while they are delivered, so several replicas share the work, and one that dies gives its rows
 * back at once.
 */
export class OutboxRelay {
  private readonly lanes: ReadonlyMap<EventConsumer, OutboxLane>;
  private readonly unannounced: WakeableLoop;
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    bus: Pick<Bus, 'call'>,
    logger: Logger,
    { onAttempt = () => undefined, pollMs: everyMs = POLL_MS }: OutboxRelayOptions = {},
  ) {
    const consumers = new Set(Object.values(eventConsumers).flat());
    this.lanes = new Map(
      [...consumers].map((each) => [each, new OutboxLane(each, database, bus, logger, { onAttempt })]),
    );
    this.unannounced = new WakeableLoop(() => this.wakeDue(), { name: 'look for events', everyMs, logger });
  }

  start(): void {
    this.unsubscribe = this.database.onEvents((consumers) => this.wakeLanes(consumers));
    for (const lane of this.lanes.values()) lane.start();
    this.unannounced.start();
  }

  /** Looks for events at once. */
  wake(): void {
    this.unannounced.wake();
  }

  /** Finishes the deliveries that run. */
  async stop(): Promise<void> {
    this.unsubscribe?.();
    await this.unannounced.stop();
    await Promise.all([...this.lanes.values()].map((lane) => lane.stop()));
  }

  /** Delivers what is due, at most one batch for each consumer. Returns how many events were due. */
  async deliverBatch(): Promise<number> {
    let due = 0;
    for (const lane of this.lanes.values()) due += (await lane.deliverBatch()).claimed;
    return due;
  }

  /** One question for all consumers: an outbox is empty nearly always. */
  private async wakeDue(): Promise<void> {
    this.wakeLanes(
      (await this.database.readAsSystem<{ consumer: EventConsumer }>(due)).map(({ consumer }) => consumer),
    );
  }

  private wakeLanes(consumers: Iterable<EventConsumer>): void {
    for (const consumer of consumers) this.lanes.get(consumer)?.wake();
  }
}

/** What is due first hides nothing for long: it is delivered, or due later. */
const due = {
  name: 'consumers-of-due-events',
  text: `select distinct consumer from
    (select consumer from outbox where next_attempt_at <= now() order by next_attempt_at limit 1000) as first_due`,
};
