import type { OutboxRelayOptions } from '@plinth/database';
import { Counter, type Registry } from 'prom-client';

type Deliveries = Counter<'source' | 'consumer' | 'result'>;

/** Services of one process share a registry, which takes each metric once. */
const counters = new WeakMap<Registry, Deliveries>();

/** Counts the attempts to deliver the events of the service `source`. */
export function countDeliveries(registry: Registry, source: string): NonNullable<OutboxRelayOptions['onAttempt']> {
  const deliveries = counters.get(registry) ?? newCounter(registry);
  counters.set(registry, deliveries);
  return (consumer, result, events) => deliveries.inc({ source, consumer, result }, events);
}

const newCounter = (registry: Registry): Deliveries =>
  new Counter({
    name: 'plinth_outbox_deliveries_total',
    help: 'Attempts to deliver an event, by the service it comes from, its consumer and the result',
    labelNames: ['source', 'consumer', 'result'],
    registers: [registry],
  });
