import { collectDefaultMetrics, Registry } from 'prom-client';

/** The finest that is measured of the event loop's lag. Each measurement wakes the process, also one that idles. */
const LAG_PRECISION_MS = 200;

/** A registry with the usual figures of Node.js about this process. */
export function processMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  return registry;
}
