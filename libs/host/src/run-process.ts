import { checkConfig, loadConfig, type ConfigOf, type processSettings, type Settings } from '@plinth/config';
import { createBus, type BusOptions } from '@plinth/messaging';
import { configureFailpoint, createLogger, startOperationsServer, type ReadinessCheck } from '@plinth/observability';
import { Counter } from 'prom-client';
import { endInOrder, notEnding } from './process-end';
import { processMetrics } from './process-metrics';
import { Sandboxes } from './sandboxes';
import { startFailure } from './start-failure';
import type { ServiceDefinition } from './service-definition';

type ProcessSettings = typeof processSettings;

/** Beyond the grace of running requests, for what a service has to put down after them. */
const STOP_ALLOWANCE_MS = 15_000;

/**
 * Runs one service as a process: configuration, log, bus, health and metrics, and an orderly end.
 * Ends the process with status 1, and a sentence for the operator, when the service cannot start.
 */
export async function runProcess<S extends Settings & ProcessSettings>(service: ServiceDefinition<S>): Promise<void> {
  try {
    await start(service);
  } catch (error) {
    process.stderr.write(`${service.name} could not start: ${startFailure(error)}\n`);
    process.exit(1);
  }
}

async function start<S extends Settings & ProcessSettings>(service: ServiceDefinition<S>): Promise<void> {
  checkConfig([service]);
  service.load();
  const config = loadConfig(service.settings);
  const shared: ConfigOf<ProcessSettings> = config;
  const logger = createLogger(service.name, shared.logLevel);
  if (shared.failpoint !== undefined) configureFailpoint(shared.failpoint);
  const metrics = processMetrics();
  const moves = new Counter({
    name: 'plinth_owner_moves_total',
    help: 'Deployments that this process found at another owner than before',
    registers: [metrics],
  });
  const sandboxes = new Sandboxes({ logger, metrics });
  const checks: Record<string, ReadinessCheck> = { started: () => false, process: notEnding };
  // Health is answered from the beginning: what a process waits for may take long to come.
  const operations = await startOperationsServer({
    host: shared.operationsHost,
    port: shared.operationsPort,
    metrics,
    checks,
    details: sandboxes.details,
  });
  logger.info({ operationsPort: operations.port }, 'starting');
  const bus = await createBus({ name: service.name, logger, onOwnerMove: () => moves.inc(), ...busOptions(shared) });
  const running = await service.start({ config, bus, logger, metrics, sandboxes });
  Object.assign(checks, running.checks, { started: () => true });
  logger.info({ operationsPort: operations.port, url: running.url }, 'ready');
  const stop = async (): Promise<void> => {
    await running.close();
    await bus.close(shared.shutdownGraceMs);
    operations.server.close();
  };
  endInOrder({ logger, stop, withinMs: shared.shutdownGraceMs + STOP_ALLOWANCE_MS });
}

/** Where and as whom a process joins the bus, by its settings. */
export const busOptions = ({ natsUrl, natsUser, natsPassword }: ConfigOf<ProcessSettings>): Partial<BusOptions> => ({
  ...(natsUrl !== undefined && { natsUrl }),
  ...(natsUser !== undefined &&
    natsPassword !== undefined && { credentials: { user: natsUser, password: natsPassword } }),
});
