import { startOneProcess } from './one-process';
import { startSeparateServices } from './separate-services';
import { joinTopology } from './shared-topology';
import type { Topology } from './topology';

/** Joins the running platform with a tenant of its own; with settings, which are those of every process, starts one. */
type Start = (settings?: Record<string, string>) => Promise<Topology>;

/** What depends on the number of processes, or on the transport between them, runs against both. */
export const topologies: readonly (readonly [string, Start])[] = [
  ['one process', (settings) => (settings ? startOneProcess(settings) : joinTopology('one process'))],
  [
    'separate services on NATS',
    (environment) => (environment ? startSeparateServices({ environment }) : joinTopology('separate services on NATS')),
  ],
];

/**
 * For suites about what one service does, whatever carries its calls: that both transports carry them alike is shown by
 * the bus's own conformance suite. NATS, because there everything has to cross a wire.
 */
export const onNats = topologies.filter(([name]) => name === 'separate services on NATS');
