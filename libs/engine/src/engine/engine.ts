import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import * as native from '@cubejs-backend/native';
import type { Redactor } from '@plinth/redaction';
import { installNative, type NativeModule } from '../native';
import { RemoteCompilerApi } from '../model/remote-compiler-api';
import type { ModelFeatures } from '../model/messages';
import type { ModelHost } from '../model/model-host';
import type { EngineOrder } from '../protocol';
import { boundCache } from './bounded-cache';
import { EngineCore } from './core';
import { createHttpServer } from './http-server';
import { QueryTracker } from './query-tracker';
import type { Reports } from './reports';
import { Requests } from './requests';

export interface EngineParts {
  order: EngineOrder;
  host: ModelHost;
  reports: Reports;
  redactor: Redactor;
}

/** Messages of the engine that are worth a line in its log even without an error. */
const WORTH_TELLING = /warning|retry|timeout/i;
const DRAIN_MS = 250;

/**
 * What is loaded with this file reads the settings of a deployment when they are used, so that it may be loaded before.
 */
export function prepareEngine({ order }: EngineParts): 'binary' | 'stand-in' {
  boundCache(order.limits.cacheBytes);
  return installNative(native as unknown as NativeModule);
}

/** @throws Error when the socket cannot be listened at */
export async function serveEngine(parts: EngineParts, features: ModelFeatures, schema: string): Promise<Server> {
  const { order, host, reports, redactor } = parts;
  const tracker = new QueryTracker();
  const core = new EngineCore({
    model: new RemoteCompilerApi(host, features, schema),
    tokenSecret: order.tokenSecret,
    limits: order.limits,
    tracker,
    redactor,
    log: (message, details) => {
      if (message === 'Executing SQL') tracker.ran(details['requestId']);
      logTo(reports, message, details);
    },
  });
  const requests = new Requests(tracker, reports, async (requestId) => {
    const orchestrator = await core.getOrchestratorApi({} as never);
    await orchestrator
      .cancelQueryByRequestId(requestId)
      .catch((error: unknown) => reports.log('warning', String(error)));
  });
  const server = await createHttpServer(core, requests);
  await core.initSQLServer().init({ sqlUser: 'nobody', sqlPassword: order.tokenSecret } as never);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(order.socketPath, resolve));
  return server;
}

/** Takes no more requests, and waits for those that it has. */
export async function drain(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let open = true;
  void closed.then(() => (open = false));
  while (open) {
    server.closeIdleConnections();
    await Promise.race([closed, wait(DRAIN_MS)]);
  }
}

function logTo(reports: Reports, message: string, details: Readonly<Record<string, unknown>>): void {
  const { error, warning } = details;
  // Only what comes before a stack.
  if (error !== undefined) reports.log('error', `${message}: ${String(error).split('\n    at ')[0]}`);
  else if (warning !== undefined || WORTH_TELLING.test(message))
    reports.log('warning', warning === undefined ? message : `${message}: ${String(warning)}`);
}
