import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { Request, Response } from 'express';
import type { Authenticator } from '../auth/authenticator';
import type { Exchange } from '../exchange/exchange';
import { collectForm } from '../http/collect-body';
import type { Edge } from '../http/edge';
import { sendContent } from '../http/reply';
import type { RateLimiter } from '../limits/rate-limiter';
import { requireOwnForm } from '../pages/own-form';
import type { Tenant } from '../tenants/tenant.resolver';
import { embedDialect } from './embed.dialect';
import type { EmbedAccounts, EmbedAccount } from '../tenants/embed-accounts';
import { cookiesFor, frameOf, frameTokens } from './frame-cookies';
import { addressOf, localeIn, viewIn, type PageView } from './page-view';

export interface EmbedHandlerParts {
  edge: Edge;
  bus: Bus;
  authenticator: Authenticator;
  /** By credential. */
  rateLimiter: RateLimiter;
  /** By address, for who has a session to exchange. */
  pageRateLimiter: RateLimiter;
  accounts: EmbedAccounts;
}

/** A request for a page, of whoever its session is for. */
export interface FrameRequest {
  request: Request;
  principal: Principal;
  account: EmbedAccount;
  view: PageView;
  /** Empty for a page that was asked for. */
  form: URLSearchParams;
  /** The token, where it is not known whether the browser keeps cookies of ours: it goes with forms then. */
  token: string | undefined;
}

export interface FramePage {
  headers: Record<string, string>;
  text: string;
}

export interface FrameWork {
  /** Path of the page, as clients see it. */
  path: string;
  show(frame: FrameRequest): Promise<FramePage>;
  /** Does what a form asks for; absent for a page whose forms change nothing but what is shown. */
  act?(frame: FrameRequest): Promise<void>;
  /** Whether that went wrong in a way that the page tells. */
  readonly hasFailed?: boolean;
}

/** Comments of 10,000 letters, each of which may take nine bytes in a form, and the fields of controls. */
const FORM_LIMIT_BYTES = 200_000;
const LONGEST_SESSION = 200;

interface Opened {
  principal: Principal;
  token: string | undefined;
  frame: string;
}

/** Serves pages in frames of host applications. */
export class EmbedHandler {
  constructor(readonly parts: EmbedHandlerParts) {}

  /** @param name of the page in logs and metrics, which hold no address: there may be a session in it. */
  async serve(name: string, request: Request, response: Response, work: FrameWork): Promise<void> {
    const query = new URL(request.url, 'http://page').searchParams;
    let account: EmbedAccount | undefined;
    let frame = query.get('frame') ?? undefined;
    response.removeHeader('x-frame-options');
    const dialect = embedDialect(() => ({
      locale: localeIn(query.get('locale')) ?? account?.locale ?? 'en',
      origins: account?.origins ?? [],
      frame,
    }));
    await this.parts.edge.enter(request, response, {
      dialect,
      page: name,
      serve: async (exchange, tenant) => {
        account = await this.parts.accounts.of(tenant.tenantId);
        const form = request.method === 'POST' ? await formOf(request) : new URLSearchParams();
        frame = form.get('frame') ?? frame;
        const opened = await this.open(exchange, tenant, query, form);
        if (typeof opened === 'string') return void response.writeHead(303, { location: work.path + opened }).end();
        const view = viewIn(request.method === 'POST' ? form : query, opened.frame);
        await this.answer(work, { ...opened, request, account, view, form }, response);
      },
    });
  }

  /** What the script asks: whether the session of a frame goes on. */
  async principalOf({ request, clientIp }: Exchange, tenant: Tenant, frame: string): Promise<Principal> {
    const header = request.headers.authorization ?? bearer(frameTokens(request.headers.cookie).get(frame));
    return this.authenticate(tenant, header, clientIp);
  }

  private async answer(work: FrameWork, frame: FrameRequest, response: Response): Promise<void> {
    const { request, token, form, view } = frame;
    if (request.method === 'POST') {
      if (form.has('action')) await work.act?.(frame);
      // What a reload sends again is a question, not the form.
      if (token === undefined && !work.hasFailed)
        return void response.writeHead(303, { location: addressOf(work.path, view) }).end();
    }
    const { headers, text } = await work.show(frame);
    sendContent(response, 200, { headers, text });
  }

  /** Whose page it is; or the query to go on with, where a session has been exchanged in this browser before. */
  private async open(
    { request, response, clientIp }: Exchange,
    tenant: Tenant,
    query: URLSearchParams,
    form: URLSearchParams,
  ): Promise<Opened | string> {
    const known = frameTokens(request.headers.cookie);
    const session = request.method === 'POST' ? null : query.get('session');
    if (session !== null) {
      const frame = frameOf(session);
      if (known.has(frame)) return queryWithout(query, frame);
      const token = await this.exchange(tenant, session, clientIp);
      const principal = await this.authenticate(tenant, bearer(token), clientIp);
      response.setHeader('set-cookie', cookiesFor(frame, token, known));
      return { principal, token, frame };
    }
    const frame = form.get('frame') ?? query.get('frame') ?? '';
    const cookie = known.get(frame);
    const sent = form.get('token') ?? undefined;
    const principal = await this.authenticate(tenant, bearer(sent ?? cookie), clientIp);
    return { principal, frame, token: cookie !== undefined && (sent ?? cookie) === cookie ? undefined : sent };
  }

  private async exchange({ tenantId, tenantName }: Tenant, sessionId: string, clientIp: string): Promise<string> {
    const principal = anonymousPrincipal(tenantId, tenantName);
    this.parts.pageRateLimiter.consume(principal, clientIp);
    if (sessionId === '' || sessionId.length > LONGEST_SESSION) throw ended();
    const call = { principal, path: {}, query: {}, body: { sessionId } };
    return (await this.parts.bus.call('postTokenBySessionId', call)).token;
  }

  private async authenticate(tenant: Tenant, header: string | undefined, clientIp: string): Promise<Principal> {
    if (header === undefined) throw ended();
    const { authenticator, rateLimiter } = this.parts;
    const principal =
      authenticator.peek(tenant, header) ?? (await authenticator.authenticate(tenant, header, clientIp));
    if (principal.kind !== 'embed-session') throw ended();
    rateLimiter.consume(principal, clientIp);
    return principal;
  }
}

const ended = (): AppError => new AppError('auth.credential_invalid', 'The session is unknown, used or over');

const bearer = (token: string | undefined): string | undefined => (token === undefined ? undefined : `Bearer ${token}`);

function queryWithout(query: URLSearchParams, frame: string): string {
  const rest = new URLSearchParams(query);
  rest.delete('session');
  rest.set('frame', frame);
  return `?${rest.toString()}`;
}

/** @throws AppError for a form of another site, or one that cannot be read. */
async function formOf(request: Request): Promise<URLSearchParams> {
  requireOwnForm(request);
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? ''))
    return new URLSearchParams();
  return collectForm(request, FORM_LIMIT_BYTES);
}
