import { Inject, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { engineCommand, type EngineLimits, modelProgram } from '@plinth/engine';
import { BUS, CONFIG, LOGGER, SANDBOXES, type Sandboxes } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { EngineLog } from './logs/engine-log';
import { EngineLogRepository } from './logs/engine-log.repository';
import { RuntimeMetrics } from './runtime-metrics';
import type { RuntimeConfig } from './runtime.config';
import { EngineRegistry, TranspiledModels, type EngineDriver, type EngineListener } from './engines';
import { newEngineFolder } from './engines/process/engine-folder';
import { ProcessDriver } from './engines/process/process-driver';

const ENGINE_DRIVER = Symbol('ENGINE_DRIVER');

const MIB = 2 ** 20;
const SECOND_MS = 1_000;
/** Time of one call of model code. */
const MODEL_CALL_MS = 10_000;
/** For what runs in an engine that is stopped; requests have been waited for before. */
const STOP_GRACE_MS = 5_000;
/** Half the life of a token. */
const TOKENS_EVERY_MS = 1_800_000;

const driver = {
  provide: ENGINE_DRIVER,
  inject: [CONFIG, SANDBOXES, BUS, LOGGER],
  useFactory: async (config: RuntimeConfig, sandboxes: Sandboxes, bus: Bus, logger: Logger): Promise<EngineDriver> => {
    if (config.engineDriver === 'process') return processDriver(config, sandboxes, logger);
    // Its client takes memory, which the other driver does without.
    const { openKubernetesDriver } = await import('./engines/kubernetes');
    return openKubernetesDriver(config, limitsOf(config), bus.workersOf('runtime'), logger);
  },
};

const limitsOf = (config: RuntimeConfig): EngineLimits => ({
  defaultRows: config.engineRowLimit,
  maxRows: config.engineRowLimitMax,
  queryMs: config.engineQueryTimeoutMs,
  concurrency: config.engineConcurrency,
  cacheBytes: config.engineCacheMb * MIB,
  modelMemoryBytes: config.engineModelMemoryMb * MIB,
  modelCallMs: MODEL_CALL_MS,
});

/** Engines as processes, behind a wall that keeps their models from what engines have. */
export async function processDriver(
  config: RuntimeConfig,
  sandboxes: Sandboxes,
  logger: Logger,
): Promise<ProcessDriver> {
  const folder = newEngineFolder();
  const { readable } = modelProgram(config.engineModelMemoryMb);
  const { kind } = await sandboxes.open(config, { readable, secrets: [folder] });
  const { sandboxUsers: users, sandboxSocket: socket } = config;
  return new ProcessDriver({
    folder,
    program: () => engineCommand(config.engineHeapMb),
    limits: limitsOf(config),
    sandbox: { kind, users, socket },
    privateAddresses: config.enginePrivateAddresses,
    logger,
  });
}

const registry = {
  provide: EngineRegistry,
  inject: [CONFIG, ENGINE_DRIVER, EngineLog, RuntimeMetrics, TranspiledModels, LOGGER],
  useFactory: (
    config: RuntimeConfig,
    engineDriver: EngineDriver,
    log: EngineLog,
    metrics: RuntimeMetrics,
    transpiled: TranspiledModels,
    logger: Logger,
  ): EngineRegistry => {
    const engines = new EngineRegistry({
      driver: engineDriver,
      listener: listenerOf(log, metrics, transpiled),
      logger,
      idleMs: config.engineIdleS * SECOND_MS,
      most: config.engineMax,
      memoryBytes: config.engineMemoryMb * MIB,
      spares: config.engineSpares,
      startTimeoutMs: config.engineStartTimeoutMs,
      stopGraceMs: STOP_GRACE_MS,
      tokensEveryMs: TOKENS_EVERY_MS,
    });
    metrics.watch(engines);
    return engines;
  },
};

const listenerOf = (log: EngineLog, metrics: RuntimeMetrics, models: TranspiledModels): EngineListener => ({
  line: (line) => log.add(line),
  transpiled: (place, transpiled) => models.keep(place, transpiled),
  query: (place, report) => metrics.query(place, report),
  started: (outcome, seconds) => metrics.started(outcome, seconds),
  crashed: () => metrics.crashed(),
});

/** Engines, what runs them, and who hears of them. */
@Module({
  providers: [driver, registry, TranspiledModels, EngineLog, EngineLogRepository, RuntimeMetrics],
  exports: [EngineRegistry, TranspiledModels],
})
export class EnginesModule implements BeforeApplicationShutdown {
  constructor(@Inject(EngineRegistry) private readonly engines: EngineRegistry) {}

  /** The bus is closed by now: other runtimes have taken over, and what ran here is answered. */
  beforeApplicationShutdown(): Promise<void> {
    return this.engines.close();
  }
}
