import { operation, type BodyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { cancelStream, type Bus, type StreamReply } from '@plinth/messaging';
import type { Request, Response } from 'express';
import { dataDialect } from '../dialects/data.dialect';
import { collectBody } from '../http/collect-body';
import type { Edge } from '../http/edge';
import type { Exchange } from '../exchange/exchange';
import type { FailureLimiter } from '../limits/failure-limiter';
import { MethodNotAllowedError } from '../http/methods';
import type { RateLimiter } from '../limits/rate-limiter';
import { sendJson, sendStream } from '../http/reply';
import { hasBody, parseJson } from '../http/request-body';
import type { Tenant } from '../tenants/tenant.resolver';
import { allowAnySite, answerPreflight } from '../http/cors';
import { refuseSocket } from './refused-socket';
import { whileListening } from './client-presence';
import type { DataAccess, DataCredentials } from './data-credentials';
import type { DataPlaces, Place } from './data-places';
import type { DataPath, DataRouter, DataTarget, EngineTarget } from './data.router';

/** The steps that {@link DataHandler} goes through, each one a collaborator. */
export interface DataHandlerParts {
  edge: Edge;
  bus: Bus;
  router: DataRouter;
  places: DataPlaces;
  credentials: DataCredentials;
  rateLimiter: RateLimiter;
  failures: FailureLimiter;
}

/** Takes every request for data: place, credential, then the engine of the environment. */
export class DataHandler {
  constructor(private readonly parts: DataHandlerParts) {}

  /** Serves what is of the data family, and leaves the rest. Returns whether it serves. */
  serveData(request: Request, response: Response): boolean {
    const isSocket = request.headers.upgrade !== undefined;
    const path = this.parts.router.find(request.path) ?? (isSocket ? nowhere : undefined);
    if (!path) return false;
    allowAnySite(response);
    const serve = (exchange: Exchange, tenant: Tenant) => this.serve(exchange, tenant, path);
    void this.parts.edge.enter(request, response, { dialect: dataDialect, isForDeployments: true, serve });
    return true;
  }

  private async serve(exchange: Exchange, tenant: Tenant, path: DataPath): Promise<void> {
    const { request, response, context, clientIp } = exchange;
    if (request.headers.upgrade !== undefined) return this.refuseUpgrade(exchange);
    const { target, deploymentId } = this.targetOf(request, tenant, path, clientIp);
    context.operationId = target.kind === 'engine' ? `data.${target.route}` : 'data.health';
    if (request.method === 'OPTIONS') return answerPreflight(request, response, target.methods);
    requireMethod(request, target.methods);
    const branch = path.branch === undefined ? undefined : decodeURIComponent(path.branch);
    const address = { tenantId: tenant.tenantId, deploymentId, branch };
    if (target.kind === 'health') {
      await this.parts.places.find(address, clientIp);
      return sendJson(response, 200, { health: 'HEALTH' });
    }
    await this.query(exchange, await this.parts.places.find(address, clientIp), target);
  }

  private refuseUpgrade(exchange: Exchange): void {
    const refusal = noSockets();
    if (!refuseSocket(exchange.request, exchange.response, refusal.message)) throw refusal;
    exchange.error = refusal;
  }

  private targetOf(request: Request, tenant: Tenant, path: DataPath, clientIp: string) {
    const deploymentId = tenant.deploymentId === undefined ? path.deploymentId : tenant.deploymentId;
    const isNamedTwice = tenant.deploymentId !== undefined && path.deploymentId !== undefined;
    if (path.target && deploymentId !== undefined && !isNamedTwice) return { target: path.target, deploymentId };
    this.parts.failures.count('route', clientIp);
    throw new AppError('request.not_found', `There is nothing at ${request.method} ${request.path}`);
  }

  private async query(exchange: Exchange, place: Place, target: EngineTarget): Promise<void> {
    const { request, clientIp } = exchange;
    const use = target.route === 'meta' ? 'metadata' : 'data';
    const access = await this.parts.credentials.open(place, use, request.headers.authorization, clientIp);
    exchange.principal = access.principal;
    this.parts.rateLimiter.consume(access.principal, clientIp);
    const body = await engineRequest(request, target, access);
    await whileListening(exchange, async () => {
      const path = { deploymentId: place.deploymentId };
      const call = { principal: access.principal, path, query: {}, body };
      await answer(exchange, await this.parts.bus.callForStream('queryEngine', call).catch(toAskAgain));
    });
  }
}

/** At the root of an address, where the public client opens its sockets. */
const nowhere: DataPath = { deploymentId: undefined, branch: undefined, target: undefined };

/** Runtimes ask for patience long before a call's time is up: one that says nothing until then is lost. */
function toAskAgain(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'service.deadline_exceeded') throw error;
  throw new AppError('service.unavailable', 'The deployment is being served anew: ask again', { retryAfterSeconds: 1 });
}

const noSockets = (): AppError =>
  new AppError('data.sockets_not_supported', 'WebSockets are not served: use the HTTP transport of the client');

/** @throws MethodNotAllowedError (405). */
function requireMethod({ method }: Request, methods: DataTarget['methods']): void {
  const asked = method === 'HEAD' ? 'GET' : method;
  if (!methods.some((each) => each === asked)) throw new MethodNotAllowedError(method, methods);
}

const { bodyLimitBytes } = operation('queryEngine');

async function engineRequest(
  request: Request,
  { route }: EngineTarget,
  { environment, principal, securityContext }: DataAccess,
): Promise<BodyOf<'queryEngine'>> {
  const isPost = request.method === 'POST';
  const { environmentId, branchName, type } = environment;
  return {
    environmentId,
    branchName,
    isProduction: type === 'production',
    route,
    method: isPost ? 'POST' : 'GET',
    search: searchOf(request.url),
    body: isPost && hasBody(request) ? await jsonBody(request) : null,
    securityContext,
    caller: principal.credentialId,
  };
}

const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

const jsonBody = async (request: Request): Promise<unknown> =>
  parseJson(await collectBody(request, bodyLimitBytes), request.headers['content-type']) ?? null;

/** What the engine answers, with its own status. */
async function answer({ request, response }: Exchange, reply: StreamReply): Promise<void> {
  const { status = '200', ...headers } = reply.headers;
  if (request.method !== 'HEAD') return sendStream(response, Number(status), { headers, stream: reply.stream });
  await cancelStream(reply.stream);
  response.writeHead(Number(status), headers).end();
}
