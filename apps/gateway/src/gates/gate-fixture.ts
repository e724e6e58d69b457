import { hash } from 'node:crypto';
import type { Principal } from '@plinth/auth';
import { loadConfig } from '@plinth/config';
import { operation, type OperationId } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { Sandboxes } from '@plinth/host';
import { createBus, InProcessHub, type Call } from '@plinth/messaging';
import { createLogger } from '@plinth/observability';
import { exampleRequest } from '@plinth/testing';
import { Registry } from 'prom-client';
import { gatewaySettings } from '../gateway.config';
import { gateway } from '../index';

export interface GateReply {
  status: number;
  /** Code of the error; undefined in errors of SCIM. */
  code: string | undefined;
  wwwAuthenticate: string | null;
  /** Whether the operation was called on the bus. */
  reached: boolean;
}

export interface GateRequest {
  authorization?: string;
  /** Values of path and query parameters. */
  values?: Record<string, string | number>;
  /** In place of the contract's example. */
  body?: unknown;
}

/** The gateway alone: behind it a bus on which nobody refuses anything, so that every refusal is the gateway's. */
export interface Gate {
  send(operationId: OperationId, request?: GateRequest): Promise<GateReply>;
  stop(): Promise<void>;
}

/** @param principals who the keys stand for in the tenant of every host. */
export async function startGate(principals: ReadonlyMap<string, Principal>): Promise<Gate> {
  const logger = createLogger('gate', 'silent');
  const metrics = new Registry();
  const identities = new Map([...principals].map(([key, principal]) => [hash('sha256', key), principal]));
  const reached: OperationId[] = [];
  const call = async (operationId: OperationId, { body }: Call<OperationId>): Promise<unknown> => {
    if (operationId === 'resolveTenant') return { tenant: { tenantId: 1, tenantName: 'local' } };
    if (operationId === 'authenticate') return { principal: identities.get(tokenHashOf(body)) ?? null };
    if (operation(operationId).internal) return {};
    reached.push(operationId);
    throw new AppError('service.unavailable', 'Nobody is here');
  };
  const bus = Object.assign(await createBus({ name: 'gateway', hub: new InProcessHub(), logger }), {
    call,
    callForJson: call,
    callForStream: call,
  });
  const config = loadConfig(gatewaySettings, {
    PLINTH_PORT: '0',
    PLINTH_RATE_LIMIT_PER_MINUTE: '0',
    PLINTH_FAILURE_LIMIT_PER_MINUTE: '0',
  });
  const sandboxes = new Sandboxes({ logger, metrics });
  const { url = '', close } = await gateway.start({ config, bus: bus as never, logger, metrics, sandboxes });
  return {
    send: async (operationId, request = {}) => {
      reached.length = 0;
      const reply = await fetch(...httpRequest(url, operationId, request));
      const body = await reply.text();
      const { code } = (body ? JSON.parse(body) : {}) as { code?: string };
      const wwwAuthenticate = reply.headers.get('www-authenticate');
      return { status: reply.status, code, wwwAuthenticate, reached: reached.includes(operationId) };
    },
    stop: async () => {
      await close();
      await bus.close();
    },
  };
}

const tokenHashOf = (body: unknown): string => (body as { tokenHash: string }).tokenHash;

function httpRequest(url: string, operationId: OperationId, request: GateRequest): [URL, RequestInit] {
  const { method, path, form, hasBody, service } = operation(operationId);
  const example = exampleRequest(operationId, request.values ?? {});
  const { body = example.body } = request;
  const values = example.path as Record<string, string | number>;
  const target = new URL(
    path.replace(/\{([^}]+)\}/g, (_match, name: string) => encodeURIComponent(values[name] ?? '')),
    url,
  );
  for (const [name, value] of Object.entries(example.query)) target.searchParams.set(name, String(value));
  const headers: Record<string, string> = request.authorization ? { authorization: request.authorization } : {};
  if (form) return [target, { method, headers, body: formOf(body) }];
  if (!hasBody || body === undefined) return [target, { method, headers }];
  headers['content-type'] = service === 'scim' ? 'application/scim+json' : 'application/json';
  return [target, { method, headers, body: JSON.stringify(body) }];
}

function formOf(body: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, unknown>)) form.set(name, String(value));
  form.set('file', new Blob(['bytes']), 'file');
  return form;
}
