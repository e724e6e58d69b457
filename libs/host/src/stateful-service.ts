import type { Type } from '@nestjs/common';
import type { ConfigOf, databaseSettings, processSettings, Settings } from '@plinth/config';
import { Database, Housekeeping, OutboxNotices, OutboxRelay, SecretBox, type ServiceSchema } from '@plinth/database';
import { startApplication } from './application';
import { countDeliveries } from './outbox-metrics';
import type { RunningService, Runtime, ServiceDefinition } from './service-definition';

type StatefulSettings = Settings & typeof processSettings & typeof databaseSettings;

/** A service that keeps state and serves operations: a schema, a Nest module, and an address on the bus. */
export interface StatefulServiceOptions<S extends StatefulSettings> {
  schema: ServiceSchema;
  settings: S;
  /** Loaded before the service starts: whoever wants its settings or its schema does without. */
  module: () => Type;
  /** As of {@link ServiceDefinition}. */
  problems?: (config: ConfigOf<S>) => readonly string[];
  /** Address of this replica, for services whose work is divided among owners. */
  workerId?: (config: ConfigOf<S>) => string;
  /** Whether the operator's command writes into the service's schema, too. */
  hasOperator?: boolean;
  /** Runs once the service serves, for example to make the first tenant. */
  afterStart?: (runtime: Runtime<S>, database: Database) => Promise<void>;
}

/** Everything around a stateful service's own module: database, outbox, housekeeping, bus, health. */
export function statefulService<S extends StatefulSettings>(options: StatefulServiceOptions<S>): ServiceDefinition<S> {
  return {
    name: options.schema.service,
    settings: options.settings,
    ...(options.problems && { problems: options.problems }),
    load: () => void options.module(),
    start: (runtime) => startStateful(options, runtime),
  };
}

async function startStateful<S extends StatefulSettings>(
  options: StatefulServiceOptions<S>,
  runtime: Runtime<S>,
): Promise<RunningService> {
  const { bus, logger } = runtime;
  const config: ConfigOf<typeof processSettings & typeof databaseSettings> = runtime.config;
  const database = await Database.open({
    ...options.schema,
    url: config.databaseUrl,
    secrets: new SecretBox(config.encryptionKeys),
    logger,
    poolSize: config.databasePoolSize,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
  });
  const workerId = options.workerId?.(runtime.config);
  const application = await startApplication(
    {
      service: options.schema.service,
      module: options.module(),
      workerId,
      providers: [{ provide: Database, useValue: database }],
    },
    runtime,
  );
  const onAttempt = countDeliveries(runtime.metrics, options.schema.service);
  const relay = new OutboxRelay(database, bus, logger, { onAttempt });
  const { service } = options.schema;
  const notices =
    options.hasOperator && new OutboxNotices({ url: config.databaseUrl, service, logger }, () => relay.wake());
  const housekeeping = new Housekeeping(database, logger, options.schema.retention, options.schema.upkeep);
  relay.start();
  if (notices) notices.start();
  housekeeping.start();
  await options.afterStart?.(runtime, database);
  return {
    checks: { bus: () => bus.isConnected(), database: () => database.isReachable() },
    close: async () => {
      await housekeeping.stop();
      if (notices) await notices.stop();
      await relay.stop();
      await application.close();
      await database.close();
    },
  };
}
