import { Module, type INestMicroservice, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ConfigOf, processSettings, Settings } from '@plinth/config';
import type { ServiceName } from '@plinth/contract';
import { BusStrategy } from '@plinth/messaging';
import { frameworkLogger } from '@plinth/observability';
import type { Runtime } from './service-definition';
import { BUS, CONFIG, LOGGER, METRICS, SANDBOXES } from './tokens';

export interface ApplicationOptions {
  service: ServiceName;
  module: Type;
  /** Address of this replica, where work is divided among owners. */
  workerId?: string | undefined;
  /** What the service's module is given beside the runtime. */
  providers?: Provider[];
}

@Module({})
class RuntimeModule {}

/** A service's module with what the process gives it, listening to the bus; it ends with `close()`. */
export async function startApplication<S extends Settings>(
  { service, module, workerId, providers = [] }: ApplicationOptions,
  { bus, logger, metrics, sandboxes, config }: Runtime<S>,
): Promise<INestMicroservice> {
  const given = [
    ...providers,
    { provide: BUS, useValue: bus },
    { provide: LOGGER, useValue: logger },
    { provide: METRICS, useValue: metrics },
    { provide: SANDBOXES, useValue: sandboxes },
    { provide: CONFIG, useValue: config },
  ];
  const { shutdownGraceMs }: ConfigOf<typeof processSettings> = config as ConfigOf<typeof processSettings>;
  const application = await NestFactory.createMicroservice(
    { module: RuntimeModule, global: true, imports: [module], providers: given, exports: given },
    {
      strategy: new BusStrategy(bus, {
        service,
        graceMs: shutdownGraceMs,
        ...(workerId !== undefined && { workerId }),
      }),
      logger: frameworkLogger(logger),
      abortOnError: false,
    },
  );
  await application.listen();
  return application;
}
