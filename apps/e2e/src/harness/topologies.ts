import { joinTopology, topologyNames } from './shared-topology';
import type { Topology } from './topology';

/** Joins the running platform with a tenant of its own. */
type Start = () => Promise<Topology>;

/** What depends on the number of processes, or on the transport between them, runs against both. */
export const topologies = topologyNames.map((name): readonly [string, Start] => [name, () => joinTopology(name)]);

/**
 * For suites about what one service does, whatever carries its calls: that both transports carry them alike is shown by
 * the bus's own conformance suite. NATS, because there everything has to cross a wire.
 */
export const onNats = topologies.filter(([name]) => isOnNats(name));

/** For suites of which a part alone depends on the number of processes, and the other is as that of {@link onNats}. */
export function isOnNats(name: string): boolean {
  return name === 'separate services on NATS';
}
