import { anonymousPrincipal, type Principal } from '@plinth/auth';
import type { Request, RequestHandler } from 'express';
import { collectForm } from '../http/collect-body';
import type { Edge } from '../http/edge';
import { MethodNotAllowedError } from '../http/methods';
import type { RateLimiter } from '../limits/rate-limiter';
import type { Html } from '@plinth/html';
import { requireOwnForm } from './own-form';
import { sendPage } from './page-layout';
import { pageDialect } from './page.dialect';

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

type FormReader = (request: Request) => Promise<Record<string, unknown>>;
type PageWork = (page: PageRequest) => Promise<PageReply>;

/** Serves pages to browsers. */
export class PageHandler {
  constructor(
    private readonly edge: Edge,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /**
   * @param name of the page in logs and metrics, which never hold its path: that can be a secret.
   */
  page(name: string, work: PageWork): RequestHandler {
    return this.serving(name, work, formOf);
  }

  /** As {@link page}, for forms that may come from anywhere, and of which nothing is read. */
  pageOfAnybody(name: string, work: PageWork): RequestHandler {
    return this.serving(name, work, async () => ({}));
  }

  /** Refuses the methods that a page does not have. */
  otherMethods(name: string, methods: readonly string[]): RequestHandler {
    return (request, response, next) =>
      this.page(name, async () => {
        throw new MethodNotAllowedError(request.method, methods);
      })(request, response, next);
  }

  private serving(name: string, work: PageWork, readForm: FormReader): RequestHandler {
    return (request, response) =>
      void this.edge.enter(request, response, {
        dialect: pageDialect,
        page: name,
        serve: async ({ clientIp }, { tenantId, tenantName }) => {
          const principal = anonymousPrincipal(tenantId, tenantName);
          this.rateLimiter.consume(principal, clientIp);
          sendPage(response, await work(await pageRequest(request, principal, readForm)));
        },
      });
  }
}

async function pageRequest(request: Request, principal: Principal, readForm: FormReader): Promise<PageRequest> {
  const form = request.method === 'POST' ? await readForm(request) : {};
  const query = new URL(request.url, 'http://page').searchParams;
  return { principal, parameters: request.params as Record<string, string>, query, form };
}

/** @throws AppError for a form of another site, or one that cannot be read. */
async function formOf(request: Request): Promise<Record<string, unknown>> {
  requireOwnForm(request);
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) return {};
  return Object.fromEntries(await collectForm(request, FORM_LIMIT_BYTES));
}
