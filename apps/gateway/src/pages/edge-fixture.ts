import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OperationId } from '@plinth/contract';
import { createBus, InProcessHub, type Bus, type Call, type Handler } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import express, { type Express } from 'express';
import { Registry } from 'prom-client';
import request, { type Test } from 'supertest';
import { Edge } from '../http/edge';
import { FailureLimiter } from '../http/failure-limiter';
import { RequestMetrics } from '../http/request-metrics';
import { securityHeaders } from '../http/security-headers';
import { TenantResolver } from '../tenants/tenant.resolver';

/** What handlers are made of. */
export interface Parts {
  bus: Bus;
  edge: Edge;
}

/** A part of the gateway behind a real port, and a control plane on the bus that answers as the test says. */
export interface RunningEdge {
  origin: string;
  /** All that was logged so far. */
  log(): string;
  /** Sends a form as a browser does from a page of the same site. */
  sendForm(path: string, fields: object, headers?: Record<string, string>): Test;
  stop(): Promise<void>;
}

const FAILURES_PER_MINUTE = 20;

type Answers = { [Id in OperationId]?: (call: Call<Id>) => Promise<unknown> };

/** The tenant `acme <inc>` answers under every host but `nobody.example`. */
export async function startEdge(
  answers: Answers,
  mount: (application: Express, parts: Parts) => void,
): Promise<RunningEdge> {
  let lines = '';
  const hub = new InProcessHub();
  const logger = createLogger('test', 'debug', { write: (line: string) => void (lines += line) });
  const controlPlane = await createBus({ name: 'control-plane', hub, logger });
  const bus = await createBus({ name: 'gateway', hub, logger });
  await controlPlane.serve(new Map(Object.entries({ resolveTenant, ...answers })) as unknown as Map<never, Handler>);
  const application = express().use(securityHeaders);
  const registry = new Registry();
  const tenants = new TenantResolver(bus, new FailureLimiter(FAILURES_PER_MINUTE, logger, registry), 1_000);
  mount(application, { bus, edge: new Edge({ tenants, metrics: new RequestMetrics(registry), logger }) });
  const server = createServer(application);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    log: () => lines,
    sendForm: (path, fields, headers = {}) =>
      request(origin)
        .post(path)
        .set({ origin, ...headers })
        .type('form')
        .send(fields),
    async stop() {
      await new Promise((resolve) => server.close(resolve));
      await bus.close();
      await controlPlane.close();
    },
  };
}

const resolveTenant = async ({ body }: Call<'resolveTenant'>) => ({
  tenant: body.host === 'nobody.example' ? null : { tenantId: 1, tenantName: 'acme <inc>' },
});
