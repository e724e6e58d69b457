import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { failpoint } from './failpoint';

/** A named condition for being ready; it resolves when met and rejects, or resolves false, when not. */
export type ReadinessCheck = () => Promise<boolean> | boolean;

export interface Health {
  status: 'ok' | 'unavailable';
  checks: Record<string, 'ok' | 'failed'>;
}

const checkTimeoutMs = 2_000;

/** Runs every check with a deadline of two seconds each. */
export async function readiness(checks: Readonly<Record<string, ReadinessCheck>>): Promise<Health> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, (await passes(check)) ? 'ok' : 'failed'] as const),
  );
  const status = results.every(([, result]) => result === 'ok') ? 'ok' : 'unavailable';
  return { status, checks: Object.fromEntries(results) };
}

async function passes(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), checkTimeoutMs);
  });
  try {
    return await Promise.race([Promise.resolve(check()), expired]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

export interface OperationsServerOptions {
  host: string;
  port: number;
  metrics: Registry;
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** What else `/healthz/ready` tells. */
  details?: () => object;
}

/** Serves `/healthz/live`, `/healthz/ready` and `/metrics` (Prometheus text) apart from the public port. */
export async function startOperationsServer(
  options: OperationsServerOptions,
): Promise<{ port: number; server: Server }> {
  const server = createServer((request, response) => {
    answer(request.url ?? '/', options).then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return { port: (server.address() as AddressInfo).port, server };
}

async function answer(url: string, { metrics, checks, details }: OperationsServerOptions) {
  failpoint(`operations.${url}`);
  const json = 'application/json; charset=utf-8';
  if (url === '/metrics') return { status: 200, type: metrics.contentType, body: await metrics.metrics() };
  if (url === '/healthz/live') return { status: 200, type: json, body: '{"status":"ok"}' };
  if (url === '/healthz/ready') {
    const health = await readiness(checks);
    return {
      status: health.status === 'ok' ? 200 : 503,
      type: json,
      body: JSON.stringify({ ...health, ...details?.() }),
    };
  }
  return { status: 404, type: json, body: '{"error":"Not found"}' };
}
