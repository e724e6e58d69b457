import { startOneProcess } from './one-process';
import { startSeparateServices } from './separate-services';
import type { Topology } from './topology';

/** Every suite that speaks HTTP runs against both. */
export const topologies: readonly (readonly [string, () => Promise<Topology>])[] = [
  ['one process', () => startOneProcess()],
  ['separate services on NATS', () => startSeparateServices()],
];
