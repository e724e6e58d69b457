import { startOneProcess } from './one-process';
import { startSeparateServices } from './separate-services';
import type { Topology } from './topology';

/** Starts a platform; the settings are those of every process. */
type Start = (settings?: Record<string, string>) => Promise<Topology>;

/** Every suite that speaks HTTP runs against both. */
export const topologies: readonly (readonly [string, Start])[] = [
  ['one process', (settings) => startOneProcess(settings)],
  ['separate services on NATS', (environment = {}) => startSeparateServices({ environment })],
];
