import { requireAccess, type Principal } from '@plinth/auth';
import {
  validateRequest,
  type CredentialKind,
  type OperationDescription,
  type OperationId,
  type RawParameters,
} from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { cancelStream, type Bus, type Call, type StreamReply } from '@plinth/messaging';
import { failpoint, runInContext, unlessFailed, type Logger, type RequestContext } from '@plinth/observability';
import type { Request, Response } from 'express';
import type { Authenticator } from '../auth/authenticator';
import type { Attempt, Denials } from '../auth/denials';
import type { TenantResolver } from '../tenants/tenant.resolver';
import type { ScimRequestLog } from '../scim-requests/scim-request-log';
import {
  isScimPath,
  requireScimMediaType,
  SCIM_JSON,
  scimAuthorization,
  scimHeaders,
  scimQuery,
  unlessLeftOut,
} from '../dialects/scim.dialect';
import { asItCame } from './as-it-came';
import type { FailureLimiter } from './failure-limiter';
import { readForm } from './form-data';
import { idempotencyClaim } from './idempotency-key';
import { localReply } from './local-operations';
import { isReading, type OperationRouter, type RoutedOperation } from './operation.router';
import type { RateLimiter } from './rate-limiter';
import { sendError, sendJson, sendStream } from './reply';
import { parseJson, readBody } from './request-body';
import { requestIdOf } from './request-id';
import type { RequestMetrics } from './request-metrics';
import { recordRequest } from './request-record';
import { requireSoundTarget } from './request-target';
import { requireSecureTransport } from './transport-security';

/** The steps that {@link OperationHandler} goes through, each one a collaborator. */
export interface OperationHandlerParts {
  bus: Bus;
  router: OperationRouter;
  tenants: TenantResolver;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  failures: FailureLimiter;
  denials: Denials;
  scimRequests: ScimRequestLog;
  metrics: RequestMetrics;
  logger: Logger;
}

/** Takes every request of the API: tenant, operation, credential, access, validation, then the bus. */
export class OperationHandler {
  constructor(private readonly parts: OperationHandlerParts) {}

  async handle(request: Request, response: Response): Promise<void> {
    const startedAt = process.hrtime.bigint();
    const context: RequestContext = { requestId: requestIdOf(request), clientIp: request.ip ?? '' };
    const traceparent = request.headers['traceparent'];
    if (typeof traceparent === 'string') context.traceparent = traceparent;
    response.setHeader('x-request-id', context.requestId);
    const attempt: Attempt = { clientIp: request.ip ?? '' };
    await runInContext(context, async () => {
      try {
        await unlessFailed(() => this.serve(request, response, context, attempt));
      } catch (thrown) {
        attempt.error = this.fail(request, response, AppError.from(thrown), context);
        this.parts.denials.note(attempt, attempt.error);
      }
    });
    const answered = { request, response, context, startedAt };
    recordRequest(this.parts, answered, { operationId: context.operationId ?? 'unknown', path: request.path });
    this.parts.scimRequests.note(answered, attempt);
  }

  private async serve(request: Request, response: Response, context: RequestContext, attempt: Attempt): Promise<void> {
    requireSoundTarget(request);
    const tenant = await this.parts.tenants.resolve(request.headers.host, attempt.clientIp);
    attempt.tenant = tenant;
    requireSecureTransport(request);
    const routed = this.route(request, attempt);
    context.operationId = attempt.operationId = routed.operation.operationId;
    failpoint(`request.${context.operationId}`);
    const { authorization } = request.headers;
    const credential = isScimPath(request.path) ? scimAuthorization(authorization) : authorization;
    const principal = await this.parts.authenticator.authenticate(tenant, credential, attempt.clientIp);
    attempt.principal = principal;
    await this.parts.rateLimiter.consume(principal, context.clientIp ?? '');
    authorize(principal, routed);
    const call =
      routed.operation.stream === 'request'
        ? await streamedCall(principal, routed, request)
        : await bufferedCall(principal, routed, request, context);
    await this.answer(request, response, routed.operation, call, context);
  }

  /** @throws AppError for an unknown route, `request.too_many_failures` (429) for who asks for many. */
  private route({ method, path }: Request, { clientIp }: Attempt): RoutedOperation {
    try {
      return this.parts.router.find(method, path);
    } catch (error) {
      if (AppError.from(error).code === 'request.not_found') this.parts.failures.count('route', clientIp);
      throw error;
    }
  }

  private async answer(
    request: Request,
    response: Response,
    operation: OperationDescription,
    call: Call<OperationId>,
    context: RequestContext,
  ): Promise<void> {
    if (operation.stream === 'response') {
      const reply: StreamReply = await this.parts.bus.callForStream(operation.operationId, call);
      await sendUnlessKnown(request, response, operation.successStatus, reply);
      return;
    }
    const reply = localReply(operation.operationId) ?? (await this.parts.bus.call(operation.operationId, call));
    if (context.replayed) response.setHeader('idempotent-replayed', 'true');
    sendReply(request, response, operation, reply);
  }

  private fail(request: Request, response: Response, thrown: AppError, context: RequestContext): AppError {
    const error = thrown.status === 404 ? unlessLeftOut(request.path, thrown) : thrown;
    if (error.isFailure) this.parts.logger.error({ code: error.code, cause: error.cause }, error.message);
    sendError(response, error, request.path, context.requestId);
    return error;
  }
}

/** Those of people and of their programs; an identity provider's reaches only operations that name it. */
const ordinaryCredentials: readonly CredentialKind[] = ['api-key', 'access-token', 'embed-session'];

function sendReply(request: Request, response: Response, operation: OperationDescription, reply: unknown): void {
  if (!isScimPath(operation.path)) {
    sendJson(response, operation.successStatus, reply);
    return;
  }
  const status = reply === undefined ? 204 : operation.successStatus;
  const headers = scimHeaders(request.path, status, reply);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (isKnown(request, headers['etag'])) sendJson(response, 304, undefined);
  else sendJson(response, status, reply, SCIM_JSON);
}

async function sendUnlessKnown(
  request: Request,
  response: Response,
  status: number,
  { headers, stream }: StreamReply,
): Promise<void> {
  const known = isKnown(request, headers['etag']);
  if (!known && request.method !== 'HEAD') return sendStream(response, status, { headers, stream });
  await cancelStream(stream);
  response.writeHead(known ? 304 : status, headers).end();
}

const isKnown = (request: Request, etag: string | undefined): boolean =>
  isReading(request) &&
  etag !== undefined &&
  (request.headers['if-none-match'] ?? '').split(',').some((each) => ['*', opaqueTag(etag)].includes(opaqueTag(each)));

/** Tags are compared weakly (RFC 9110, section 13.1.2). */
const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, '');

function authorize(principal: Principal, { operation, pathParameters }: RoutedOperation): void {
  const accepted: readonly string[] = operation.credentials ?? ordinaryCredentials;
  if (principal.kind !== 'anonymous' && !accepted.includes(principal.kind)) {
    throw new AppError('access.credential_not_accepted', 'This kind of credential is not accepted here');
  }
  const scope = operation.deploymentParameter && Number(pathParameters[operation.deploymentParameter]);
  requireAccess(principal, operation.permission, Number.isSafeInteger(scope) ? Number(scope) : undefined);
}

async function bufferedCall(
  principal: Principal,
  routed: RoutedOperation,
  request: Request,
  context: RequestContext,
): Promise<Call<OperationId>> {
  const body = await readBody(request, routed.operation);
  const claim = idempotencyClaim(routed.operation.operationId, request, body);
  if (claim) context.idempotency = claim;
  if (isScimPath(routed.operation.path) && body.length > 0) requireScimMediaType(request.headers['content-type']);
  const json = routed.operation.hasBody ? parseJson(body, request.headers['content-type']) : undefined;
  return { ...validCall(principal, routed, request, json), ...asItCame(routed.operation, request, body) };
}

/** Bytes that are not held cannot be compared with an earlier request's: such operations are repeatable by themselves. */
async function streamedCall(
  principal: Principal,
  routed: RoutedOperation,
  request: Request,
): Promise<Call<OperationId>> {
  const { fields, file } = await readForm(request, routed.operation);
  try {
    return { ...validCall(principal, routed, request, fields), upload: file };
  } catch (error) {
    await cancelStream(file);
    throw error;
  }
}

function validCall(
  principal: Principal,
  { operation, pathParameters }: RoutedOperation,
  request: Request,
  body: unknown,
): Call<OperationId> {
  const given = request.query as RawParameters;
  const query = isScimPath(operation.path) ? scimQuery(operation, given) : given;
  const result = validateRequest(operation.operationId, { path: pathParameters, query, body });
  if (!result.ok) {
    const [first] = result.problems;
    throw new AppError('request.invalid', first ? `${first.path} ${first.message}` : 'The request is not valid', {
      details: result.problems,
    });
  }
  return { principal, path: result.path, query: result.query, body: result.body } as Call<OperationId>;
}
