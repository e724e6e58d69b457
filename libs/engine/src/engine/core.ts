import { CubejsServerCore, type CompilerApi } from '@cubejs-backend/server-core';
import { getEnv } from '@cubejs-backend/shared';
import type { Redactor } from '@plinth/redaction';
import type { EngineLimits } from '../protocol';
import type { RemoteCompilerApi } from '../model/remote-compiler-api';
import { EngineGateway } from './gateway';
import { CancellablePostgresDriver } from './postgres-driver';
import type { QueryTracker } from './query-tracker';
import { type Asking, tokenCheck } from './tokens';
import { FairOrchestratorApi } from './turns';

export interface CoreOptions {
  model: RemoteCompilerApi;
  tokenSecret: string;
  limits: EngineLimits;
  tracker: QueryTracker;
  redactor: Redactor;
  log(message: string, details: Readonly<Record<string, unknown>>): void;
}

/** Seconds after which a query is ended for which nobody asks any more. */
const ORPHANED_S = 30;

/** The published engine, whose model lives in another process. */
export class EngineCore extends CubejsServerCore {
  constructor(private readonly engine: CoreOptions) {
    const { model, tokenSecret, limits, log } = engine;
    const queueOptions = {
      concurrency: limits.concurrency,
      executionTimeout: Math.ceil(limits.queryMs / 1_000),
      orphanedTimeout: ORPHANED_S,
    };
    super({
      // The check below takes its place; without one, the engine does not start.
      apiSecret: tokenSecret,
      checkAuth: tokenCheck(tokenSecret) as never,
      telemetry: false,
      scheduledRefreshTimer: false,
      logger: log as never,
      repositoryFactory: () => ({ localPath: () => '/', dataSchemaFiles: async () => [] }),
      queryRewrite: (async (query: object, context: Asking) => model.rewrite(query, context)) as never,
      orchestratorOptions: {
        queryCacheOptions: { queueOptions },
        preAggregationsOptions: { queueOptions },
      } as never,
    });
  }

  protected override createCompilerApi(): CompilerApi {
    return this.engine.model;
  }

  protected override createOrchestratorApi(
    ...[driverFactory, options]: Parameters<CubejsServerCore['createOrchestratorApi']>
  ): FairOrchestratorApi {
    const { tracker, redactor } = this.engine;
    return new FairOrchestratorApi(tracker, redactor, driverFactory, this.logger, options);
  }

  protected override createApiGatewayInstance(
    ...options: Parameters<CubejsServerCore['createApiGatewayInstance']>
  ): EngineGateway {
    return new EngineGateway(...options);
  }

  override async resolveDriver(
    ...[context, options]: Parameters<CubejsServerCore['resolveDriver']>
  ): ReturnType<CubejsServerCore['resolveDriver']> {
    const { dataSource, preAggregations = false } = context;
    const type: string = getEnv('dbType', { dataSource, preAggregations });
    if (type !== 'postgres') return super.resolveDriver(context, options);
    const maxPoolSize = await CubejsServerCore.getDriverMaxPool(context, options);
    return new CancellablePostgresDriver({ dataSource, preAggregations, ...(maxPoolSize && { maxPoolSize }) });
  }
}
