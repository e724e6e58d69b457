import type { Principal } from '@plinth/auth';
import type { AppError } from '@plinth/errors';
import type { RequestContext } from '@plinth/observability';
import type { Request, Response } from 'express';
import type { Dialect } from '../dialects/dialect';
import type { Tenant } from '../tenants/tenant.resolver';
import { requestIdOf } from './request-id';

/** A request with its response, and what has become known of it on its way. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly dialect: Dialect;
  readonly context: RequestContext;
  readonly clientIp: string;
  /** From `performance.now()`, in milliseconds. */
  readonly startedAt: number;
  tenant: Tenant | undefined;
  principal: Principal | undefined;
  /** What it failed with, once it has. */
  error: AppError | undefined;
}

/** An exchange of which nothing is known but what its headers say. */
export function beginExchange(request: Request, response: Response, dialect: Dialect): Exchange {
  const clientIp = request.ip ?? '';
  const context: RequestContext = { requestId: requestIdOf(request), clientIp };
  const { traceparent, host } = request.headers;
  if (host !== undefined) context.origin = `${request.protocol}://${host}`;
  if (typeof traceparent === 'string') context.traceparent = traceparent;
  return {
    request,
    response,
    dialect,
    context,
    clientIp,
    startedAt: performance.now(),
    tenant: undefined,
    principal: undefined,
    error: undefined,
  };
}
