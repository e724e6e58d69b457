import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import { runInContext, unlessFailed, type Logger, type RequestContext } from '@plinth/observability';
import type { Request, RequestHandler, Response } from 'express';
import { collectForm } from '../http/collect-body';
import { MethodNotAllowedError } from '../http/operation.router';
import type { RateLimiter } from '../http/rate-limiter';
import { requestIdOf } from '../http/request-id';
import type { RequestMetrics } from '../http/request-metrics';
import { recordRequest } from '../http/request-record';
import { requireSoundTarget } from '../http/request-target';
import { requireSecureTransport } from '../http/transport-security';
import type { TenantResolver } from '../tenants/tenant.resolver';
import type { Html } from './html';
import { failureContent, failureTitle } from './page-failure';
import { sendPage } from './page-layout';
import { requireOwnForm } from './own-form';

export interface PageHandlerParts {
  bus: Bus;
  tenants: TenantResolver;
  rateLimiter: RateLimiter;
  metrics: RequestMetrics;
  logger: Logger;
}

/** A request for a page, of the tenant that its host belongs to. */
export interface PageRequest {
  /** Nobody in particular, in that tenant. */
  principal: Principal;
  parameters: Readonly<Record<string, string | undefined>>;
  query: URLSearchParams;
  /** Fields of the form that was sent; empty for a page that was asked for. */
  form: Readonly<Record<string, unknown>>;
}

export interface PageReply {
  status: number;
  title: string;
  content: Html;
}

const FORM_LIMIT_BYTES = 8_192;

/** Serves pages to browsers, with the same steps before each as an operation of the API has. */
export class PageHandler {
  constructor(private readonly parts: PageHandlerParts) {}

  /**
   * @param name of the page in logs and metrics, which never hold its path: that can be a secret.
   */
  page(name: string, work: (page: PageRequest) => Promise<PageReply>): RequestHandler {
    return (request, response) => void this.handle(name, request, response, work);
  }

  /** Refuses the methods that a page does not have. */
  otherMethods(name: string, methods: readonly string[]): RequestHandler {
    return (request, response) =>
      void this.handle(name, request, response, async () => {
        throw new MethodNotAllowedError(request.method, methods);
      });
  }

  private async handle(
    name: string,
    request: Request,
    response: Response,
    work: (page: PageRequest) => Promise<PageReply>,
  ): Promise<void> {
    const startedAt = process.hrtime.bigint();
    const context: RequestContext = { requestId: requestIdOf(request), clientIp: request.ip ?? '' };
    await runInContext(context, async () => {
      const reply = await unlessFailed(() => this.reply(request, work)).catch((thrown: unknown) =>
        this.failure(thrown, response, context),
      );
      response.setHeader('x-request-id', context.requestId);
      sendPage(response, reply);
    });
    recordRequest(this.parts, { request, response, context, startedAt }, { page: name });
  }

  private async reply(request: Request, work: (page: PageRequest) => Promise<PageReply>): Promise<PageReply> {
    requireSoundTarget(request);
    const { tenantId, tenantName } = await this.parts.tenants.resolve(request.headers.host, request.ip ?? '');
    requireSecureTransport(request);
    const principal = anonymousPrincipal(tenantId, tenantName);
    await this.parts.rateLimiter.consume(principal, request.ip ?? '');
    const form = request.method === 'POST' ? await formOf(request) : {};
    const query = new URL(request.url, 'http://page').searchParams;
    return work({ principal, parameters: request.params as Record<string, string>, query, form });
  }

  private failure(thrown: unknown, response: Response, { requestId }: RequestContext): PageReply {
    const error = AppError.from(thrown);
    if (error instanceof MethodNotAllowedError) response.setHeader('allow', error.allowed.join(', '));
    if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', String(error.retryAfterSeconds));
    if (error.status >= 500) this.parts.logger.error({ code: error.code, cause: error.cause }, error.message);
    return { status: error.status, title: failureTitle(error.status), content: failureContent(error, requestId) };
  }
}

/** @throws AppError for a form of another site, or one that cannot be read. */
async function formOf(request: Request): Promise<Record<string, unknown>> {
  requireOwnForm(request);
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return {};
  return Object.fromEntries(await collectForm(request, FORM_LIMIT_BYTES));
}
