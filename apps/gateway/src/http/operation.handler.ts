import { authorize, type Principal } from '@plinth/auth';
import { validateRequest, type OperationDescription, type OperationId, type RawParameters } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { cancelStream, type Bus, type Call, type StreamReply } from '@plinth/messaging';
import { failpoint } from '@plinth/observability';
import type { Request, Response } from 'express';
import type { Authenticator } from '../auth/authenticator';
import { deploymentTokenIn, type DeploymentTokens } from '../auth/deployment-tokens';
import type { Denials } from '../auth/denials';
import type { EmbedAccounts } from '../tenants/embed-accounts';
import type { ScimRequestLog } from '../scim-requests/scim-request-log';
import type { Tenant } from '../tenants/tenant.resolver';
import { madeContent } from '../dialects/content';
import { asItCame } from './as-it-came';
import { collectBody, streamBody } from './collect-body';
import { allowOrigins, answerPreflight } from './cors';
import type { Edge } from './edge';
import type { Exchange } from '../exchange/exchange';
import type { FailureLimiter } from '../limits/failure-limiter';
import { readForm } from './form-data';
import { idempotencyClaim } from './idempotency-key';
import { localReply } from './local-operations';
import { isReading } from './methods';
import type { OperationRouter, Route, RoutedOperation } from './operation.router';
import type { RateLimiter } from '../limits/rate-limiter';
import { sendContent, sendNothing, sendStream } from './reply';
import { hasBody, noBody, parseJson, requireJson } from './request-body';
import { warnings } from './warnings';

/** The steps that {@link OperationHandler} goes through, each one a collaborator. */
export interface OperationHandlerParts {
  edge: Edge;
  bus: Bus;
  router: OperationRouter;
  authenticator: Authenticator;
  deploymentTokens: DeploymentTokens;
  rateLimiter: RateLimiter;
  failures: FailureLimiter;
  denials: Denials;
  scimRequests: ScimRequestLog;
  accounts: EmbedAccounts;
}

/** Takes every request of the API: tenant, operation, credential, access, validation, then the bus. */
export class OperationHandler {
  constructor(private readonly parts: OperationHandlerParts) {}

  /** Serves what is an operation of the contract, and leaves the rest. Returns whether it is one. */
  serveOperation(request: Request, response: Response): boolean {
    const route = this.parts.router.find(request.method, request.path);
    if (!('operation' in route)) return false;
    void this.handle(request, response, route);
    return true;
  }

  /** Serves whatever comes; where nothing is, it says so. */
  async handle(
    request: Request,
    response: Response,
    route = this.preflighted(request) ?? this.parts.router.find(request.method, request.path),
  ): Promise<void> {
    const exchange = await this.parts.edge.enter(request, response, {
      dialect: route.dialect,
      accountName: 'operation' in route ? route.pathParameters['accountName'] : undefined,
      serve: (entered, tenant) => this.serve(entered, tenant, route),
    });
    this.parts.denials.note(exchange);
    this.parts.scimRequests.note(exchange);
  }

  /** What a browser asks about before a page of a host application calls it. */
  private preflighted({ method, path, headers }: Request): Route | undefined {
    const asked = headers['access-control-request-method'];
    if (method !== 'OPTIONS' || headers.origin === undefined || asked === undefined) return undefined;
    const route = this.parts.router.find(asked, path);
    return route && isForHosts(route) ? route : undefined;
  }

  private async serve(exchange: Exchange, tenant: Tenant, route: Route): Promise<void> {
    const { request, response, context, clientIp } = exchange;
    if (isForHosts(route) && request.headers.origin !== undefined) {
      const { origins } = await this.parts.accounts.of(tenant.tenantId);
      allowOrigins(request, response, origins);
      if (request.method === 'OPTIONS') return answerPreflight(request, response, [route.operation.method]);
    }
    const routed = this.operationAt(route, clientIp);
    const { operation, dialect } = routed;
    context.operationId = operation.operationId;
    failpoint(`request.${operation.operationId}`);
    dialect.requireSite?.(request);
    const token = deploymentTokenIn(request, operation);
    const principal = (exchange.principal =
      token === undefined
        ? await this.callerOf(tenant, dialect.authorization(request.headers.authorization), clientIp)
        : await this.parts.deploymentTokens.authenticate(tenant, token, clientIp));
    this.parts.rateLimiter.consume(principal, clientIp);
    authorize(principal, routed.operation, routed.pathParameters);
    const call = await this.callOf(principal, routed, exchange);
    if (operation.stream === 'response') await this.stream(exchange, operation, call);
    else await this.answer(exchange, routed, call);
  }

  private async callerOf(tenant: Tenant, credential: string | undefined, clientIp: string): Promise<Principal> {
    const { authenticator } = this.parts;
    return authenticator.peek(tenant, credential) ?? authenticator.authenticate(tenant, credential, clientIp);
  }

  private async callOf(principal: Principal, routed: RoutedOperation, exchange: Exchange): Promise<Call<OperationId>> {
    const { request } = exchange;
    const { operation } = routed;
    if (operation.form) return formCall(principal, routed, exchange);
    if (operation.stream === 'request') return streamedCall(principal, routed, exchange);
    return bufferedCall(principal, routed, exchange, hasBody(request) ? await bodyOf(request, operation) : noBody);
  }

  /** @throws AppError for a dead end, `request.too_many_failures` (429) for who runs into many. */
  private operationAt(route: Route, clientIp: string): RoutedOperation {
    if ('operation' in route) return route;
    if (route.error.code === 'request.not_found') this.parts.failures.count('route', clientIp);
    throw route.error;
  }

  private async answer(exchange: Exchange, routed: RoutedOperation, call: Call<OperationId>): Promise<void> {
    const { request, response, context } = exchange;
    const { operation, dialect } = routed;
    const { operationId } = operation;
    const local = localReply(operationId);
    const isMade = local === undefined && dialect.passesRepliesOn === true;
    const reply = isMade
      ? await this.parts.bus.callForJson(operationId, call)
      : (local ?? (await this.parts.bus.call(operationId, call)));
    if (context.replayed) response.setHeader('idempotent-replayed', 'true');
    const { status, headers } = dialect.replyHead(operation, request.path, reply);
    for (const name in headers) response.setHeader(name, headers[name] ?? '');
    if (isKnown(request, headers['etag'])) sendNothing(response, 304);
    else if (reply === undefined || status === 204) sendNothing(response, status);
    else sendContent(response, status, isMade ? madeContent(String(reply)) : dialect.replyContent(reply));
  }

  private async stream({ request, response }: Exchange, operation: OperationDescription, call: Call<OperationId>) {
    const reply: StreamReply = await this.parts.bus.callForStream(operation.operationId, call);
    const known = isKnown(request, reply.headers['etag']);
    if (!known && request.method !== 'HEAD') return sendStream(response, operation.successStatus, reply);
    await cancelStream(reply.stream);
    response.writeHead(known ? 304 : operation.successStatus, reply.headers).end();
  }
}

/** Host applications call agents from pages of theirs, by addresses that name the account. */
const isForHosts = (route: Route): route is RoutedOperation =>
  'operation' in route && route.pathParameters['accountName'] !== undefined;

const isKnown = (request: Request, etag: string | undefined): boolean =>
  isReading(request) &&
  etag !== undefined &&
  (request.headers['if-none-match'] ?? '').split(',').some((each) => ['*', opaqueTag(etag)].includes(opaqueTag(each)));

/** Tags are compared weakly (RFC 9110, section 13.1.2). */
const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, '');

const bodyOf = (request: Request, { bodyLimitBytes }: OperationDescription): Promise<Buffer> =>
  collectBody(request, bodyLimitBytes);

function bufferedCall(
  principal: Principal,
  routed: RoutedOperation,
  exchange: Exchange,
  body: Buffer,
): Call<OperationId> {
  const { request, context } = exchange;
  const { operation, dialect } = routed;
  const claim = idempotencyClaim(operation.operationId, request, body);
  if (claim) context.idempotency = claim;
  const contentType = request.headers['content-type'];
  if (body.length > 0) dialect.requireMediaType(contentType);
  const json = operation.hasBody ? parseJson(body, contentType) : undefined;
  return { ...validCall(principal, routed, exchange, json), ...asItCame(operation, request, body) };
}

/** A body that is too large to be held here: the service that it goes to reads and checks it. */
function streamedCall(principal: Principal, routed: RoutedOperation, exchange: Exchange): Call<OperationId> {
  const { request, context } = exchange;
  const { operation } = routed;
  const claim = idempotencyClaim(operation.operationId, request);
  if (claim) context.idempotency = claim;
  const call = validCall(principal, routed, exchange, undefined);
  if (!hasBody(request)) return call;
  requireJson(request.headers['content-type']);
  return { ...call, upload: streamBody(request, operation.bodyLimitBytes) };
}

/** A file that is not held cannot be compared with an earlier request's: such operations are repeatable by themselves. */
async function formCall(principal: Principal, routed: RoutedOperation, exchange: Exchange): Promise<Call<OperationId>> {
  const { fields, file } = await readForm(exchange.request, routed.operation);
  try {
    return { ...validCall(principal, routed, exchange, fields), upload: file };
  } catch (error) {
    await cancelStream(file);
    throw error;
  }
}

function validCall(
  principal: Principal,
  { dialect, operation, pathParameters }: RoutedOperation,
  { request, response }: Exchange,
  body: unknown,
): Call<OperationId> {
  const query = dialect.query(operation, request.query as RawParameters);
  const result = validateRequest(operation.operationId, { path: pathParameters, query, body });
  if (!result.ok) {
    const [first] = result.problems;
    throw new AppError('request.invalid', first ? `${first.path} ${first.message}` : 'The request is not valid', {
      details: result.problems,
    });
  }
  if (result.misspelt.length > 0) response.setHeader('warnings', warnings(result.misspelt));
  return { principal, path: result.path, query: result.query, body: result.body } as Call<OperationId>;
}
