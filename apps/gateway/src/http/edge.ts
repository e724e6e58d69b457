import { AppError } from '@plinth/errors';
import { runInContext, unlessFailed, type Logger } from '@plinth/observability';
import type { Request, Response } from 'express';
import type { Dialect } from '../dialects/dialect';
import type { Tenant, TenantResolver } from '../tenants/tenant.resolver';
import { beginExchange, type Exchange } from '../exchange/exchange';
import { sendError } from './reply';
import type { RequestMetrics } from './request-metrics';
import { recordRequest } from './request-record';
import { requireSoundTarget } from './request-target';
import { requireSecureTransport } from './transport-security';

export interface EdgeParts {
  tenants: TenantResolver;
  metrics: RequestMetrics;
  logger: Logger;
}

/** What a request is for: an operation, a page, or the authorization server. */
export interface Entrance {
  dialect: Dialect;
  /** Name in logs and metrics, which never hold the path of a page: that can be a secret. Operations have none. */
  page?: string;
  /** Whether it is served under the hosts of deployments too, where nothing else is. */
  isForDeployments?: boolean;
  /** Account that the path names, for what is served under the host that all accounts share. */
  accountName?: string | undefined;
  /** Answers the request, whose tenant is known and whose transport is secure. */
  serve(exchange: Exchange, tenant: Tenant): Promise<void>;
}

/** What all requests have in common, whatever they are for. */
export class Edge {
  constructor(private readonly parts: EdgeParts) {}

  /** Brings a request to its end and records it; a failure becomes a reply in the dialect of the entrance. */
  async enter(request: Request, response: Response, entrance: Entrance): Promise<Exchange> {
    const exchange = beginExchange(request, response, entrance.dialect);
    response.setHeader('x-request-id', exchange.context.requestId);
    await runInContext(exchange.context, () =>
      unlessFailed(() => this.serve(exchange, entrance)).catch((thrown: unknown) => this.fail(exchange, thrown)),
    );
    recordRequest(this.parts, exchange, entrance.page);
    return exchange;
  }

  private async serve(exchange: Exchange, entrance: Entrance): Promise<void> {
    const { request, clientIp } = exchange;
    requireSoundTarget(request);
    const tenant = (exchange.tenant = await this.tenantOf(request.headers.host, clientIp, entrance));
    requireSecureTransport(request);
    if (tenant.deploymentId !== undefined && !entrance.isForDeployments) throw dataAlone();
    await entrance.serve(exchange, tenant);
  }

  private async tenantOf(host: string | undefined, clientIp: string, { accountName }: Entrance): Promise<Tenant> {
    const { tenants } = this.parts;
    if (!tenants.isShared(host)) return tenants.peek(host) ?? (await tenants.resolve(host, clientIp));
    if (accountName === undefined) throw agentsAlone();
    return tenants.resolveAccount(accountName, clientIp);
  }

  private fail(exchange: Exchange, thrown: unknown): void {
    const { request, response, dialect, context } = exchange;
    const failure = AppError.from(thrown);
    const error = failure.status === 404 ? (dialect.missing?.(failure, request.path) ?? failure) : failure;
    if (error.isFailure) this.parts.logger.error({ code: error.code, cause: error.cause }, error.message);
    const challenge = dialect.challenge?.(error, context.origin ?? '');
    if (challenge !== undefined && !response.headersSent) response.setHeader('www-authenticate', challenge);
    sendError(response, error, dialect, context.requestId);
    exchange.error = error;
  }
}

const dataAlone = (): AppError =>
  new AppError('request.not_found', 'Under this host name there is nothing but the data API of a deployment');

const agentsAlone = (): AppError =>
  new AppError('request.not_found', 'Under this host name agents are asked, and there is nothing else');
