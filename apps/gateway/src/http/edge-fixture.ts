import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OperationId } from '@plinth/contract';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { createLogger, type Logger } from '@plinth/observability';
import express, { type Express } from 'express';
import { Registry } from 'prom-client';
import request, { type Test } from 'supertest';
import { Edge } from './edge';
import { FailureLimiter } from '../limits/failure-limiter';
import { RequestMetrics } from './request-metrics';
import { securityHeaders } from './security-headers';
import { TenantResolver } from '../tenants/tenant.resolver';

/** What handlers are made of. */
export interface Parts {
  bus: Bus;
  edge: Edge;
  failures: FailureLimiter;
  logger: Logger;
  registry: Registry;
}

/** A part of the gateway behind a real port, and a control plane on the bus that answers as the test says. */
export interface RunningEdge {
  origin: string;
  /** All that was logged so far. */
  log(): string;
  /** Sends a notice as the control plane does. */
  publish(topic: string): void;
  /** Sends a form as a browser does from a page of the same site. */
  sendForm(path: string, fields: object, headers?: Record<string, string>): Test;
  stop(): Promise<void>;
}

export const FAILURES_PER_MINUTE = 20;

type Answers = { [Id in OperationId]?: (call: Call<Id>) => Promise<unknown> };

/** A bus of the gateway's, on whose other side services answer as the test says. */
export interface AnsweredBus {
  bus: Bus;
  /** Sends a notice as the control plane does. */
  publish(topic: string): void;
  close(): Promise<void>;
}

/** @param natsUrl of a server over which it goes; inside the process without one. */
export async function startBus(answers: Answers, logger: Logger, natsUrl?: string): Promise<AnsweredBus> {
  const hub = new InProcessHub();
  const services = await createBus({ name: 'control-plane', hub, logger, natsUrl });
  const bus = await createBus({ name: 'gateway', hub, logger, natsUrl });
  await services.serve(new Map(Object.entries(answers)) as unknown as Map<never, Handler>);
  return {
    bus,
    publish: (topic) => services.publish({ topic, payload: {} }),
    async close() {
      await bus.close();
      await services.close();
    },
  };
}

/** The tenant `acme <inc>` answers under every host but `nobody.example`. */
export async function startEdge(
  answers: Answers,
  mount: (application: Express, parts: Parts) => void,
  natsUrl?: string,
): Promise<RunningEdge> {
  let lines = '';
  const logger = createLogger('test', 'debug', { write: (line: string) => void (lines += line) });
  const { bus, publish, close } = await startBus({ resolveTenant, ...answers }, logger, natsUrl);
  const application = express().use(securityHeaders);
  const registry = new Registry();
  const failures = new FailureLimiter(FAILURES_PER_MINUTE, logger, registry);
  const tenants = new TenantResolver(bus, failures, 1_000);
  const edge = new Edge({ tenants, metrics: new RequestMetrics(registry), logger });
  mount(application, { bus, edge, failures, logger, registry });
  const server = createServer(application);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    log: () => lines,
    publish,
    sendForm: (path, fields, headers = {}) =>
      request(origin)
        .post(path)
        .set({ origin, ...headers })
        .type('form')
        .send(fields),
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
}

const resolveTenant = async ({ body }: Call<'resolveTenant'>) => ({
  tenant: body.host === 'nobody.example' ? null : { tenantId: 1, tenantName: 'acme <inc>' },
});
