import { eventConsumers, type Bus, type EventConsumer } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import type { Database } from './database';
import { OutboxLane, type OutboxLaneOptions } from './outbox-lane';

export type OutboxRelayOptions = Partial<OutboxLaneOptions>;

const defaults: OutboxLaneOptions = {
  pollMs: 10_000,
  onAttempt: () => undefined,
};

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
  private unsubscribe: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    bus: Pick<Bus, 'call'>,
    logger: Logger,
    options: OutboxRelayOptions = {},
  ) {
    const consumers = new Set(Object.values(eventConsumers).flat());
    this.lanes = new Map(
      [...consumers].map((each) => [each, new OutboxLane(each, database, bus, logger, { ...defaults, ...options })]),
    );
  }

  start(): void {
    this.unsubscribe = this.database.onEvents((consumers) => {
      for (const consumer of consumers) this.lanes.get(consumer)?.wake();
    });
    for (const lane of this.lanes.values()) lane.start();
  }

  /** Looks for events at once. */
  wake(): void {
    for (const lane of this.lanes.values()) lane.wake();
  }

  /** Finishes the deliveries that run. */
  async stop(): Promise<void> {
    this.unsubscribe?.();
    await Promise.all([...this.lanes.values()].map((lane) => lane.stop()));
  }

  /** Delivers what is due, at most one batch for each consumer. Returns how many events were due. */
  async deliverBatch(): Promise<number> {
    let due = 0;
    for (const lane of this.lanes.values()) due += (await lane.deliverBatch()).claimed;
    return due;
  }
}
