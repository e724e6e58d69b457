import { anonymousPrincipal, type Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { Bus } from '@plinth/messaging';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Dialect } from '../dialects/dialect';
import { oauthDialect } from '../dialects/oauth.dialect';
import { collectForm } from '../http/collect-body';
import type { Edge } from '../http/edge';
import type { Exchange } from '../exchange/exchange';
import type { FailureLimiter } from '../limits/failure-limiter';
import { MethodNotAllowedError } from '../http/methods';
import type { RateLimiter } from '../limits/rate-limiter';
import { sendJson } from '../http/reply';
import { hasBody } from '../http/request-body';
import { requireOwnForm } from '../pages/own-form';
import { pageDialect } from '../pages/page.dialect';
import type { PublicOrigins } from '../tenants/public-origins';
import type { Tenant } from '../tenants/tenant.resolver';
import { hashOf } from './artefact-adapter';
import { registrationIn } from './client-registration';
import { COMMAND_LINE_SCOPE } from './clients';
import { DEVICE_INTERVAL_SECONDS, deviceDialect } from './command-line-dialect';
import { endpointOf, paths, takesCredentials, type Endpoint } from './endpoints';
import { takeStep } from './interaction.page';
import type { Issuer, Issuers } from './issuers';
import { isRefused } from './refused-grants';
import { replayed } from './replayed-request';

export interface OAuthHandlerParts {
  edge: Edge;
  bus: Bus;
  issuers: Issuers;
  origins: PublicOrigins;
  /** For programs, and for people at browsers. */
  rateLimiter: RateLimiter;
  pageRateLimiter: RateLimiter;
  failures: FailureLimiter;
}

const FORM_LIMIT_BYTES = 16_384;

/** Serves the authorization server of each tenant. */
export class OAuthHandler {
  constructor(private readonly parts: OAuthHandlerParts) {}

  readonly handle: RequestHandler = (request: Request, response: Response, next: NextFunction): void => {
    const endpoint = endpointOf(request.path);
    if (!endpoint) return next();
    void this.parts.edge.enter(request, response, {
      dialect: dialectOf(endpoint),
      page: `oauth ${endpoint.name}`,
      serve: (exchange, tenant) => this.serve(endpoint, exchange, tenant),
    });
  };

  private async serve(endpoint: Endpoint, exchange: Exchange, { tenantId, tenantName }: Tenant): Promise<void> {
    const { request, response, clientIp } = exchange;
    const principal = anonymousPrincipal(tenantId, tenantName);
    const limiter = endpoint.isPage ? this.parts.pageRateLimiter : this.parts.rateLimiter;
    limiter.consume(principal, clientIp);
    requireMethod(endpoint, request);
    if (endpoint.isPage && request.method === 'POST') requireOwnForm(request);
    const origin = this.originOf(request, clientIp);
    const issuer = await this.parts.issuers.of(principal, origin);
    if (endpoint.name === 'openidDiscovery' && !issuer.isForWorkloads) throw noSuchEndpoint();
    const isRegistration = endpoint.name === 'registration' && request.method === 'POST';
    const form = request.method === 'POST' && !isRegistration ? await formOf(request) : undefined;
    const body = isRegistration ? await registrationIn(request) : Buffer.from(form?.toString() ?? '');
    await this.unlessGuessing(endpoint, exchange, async () => {
      if (form && (await this.isPolledTooSoon(principal, request.path, form))) return slowDown(response);
      await this.pass(endpoint, { principal, issuer, origin, form, body }, request, response);
    });
  }

  private originOf(request: Request, clientIp: string): URL {
    try {
      return this.parts.origins.of(request);
    } catch (error) {
      this.parts.failures.count('host', clientIp);
      throw error;
    }
  }

  /** @throws AppError `request.too_many_failures` (429) for who was refused often, without looking at what they show. */
  private async unlessGuessing(
    endpoint: Endpoint,
    { response, clientIp }: Exchange,
    work: () => Promise<void>,
  ): Promise<void> {
    if (!takesCredentials(endpoint)) return work();
    const takeBack = this.parts.failures.count('grant', clientIp);
    try {
      await work();
    } finally {
      if (!isRefused(response)) takeBack();
    }
  }

  private async pass(
    { name, rest }: Endpoint,
    facts: { principal: Principal; issuer: Issuer; origin: URL; form: URLSearchParams | undefined; body: Buffer },
    request: Request,
    response: Response,
  ): Promise<void> {
    const { principal, issuer, origin, form, body } = facts;
    const copy = replayed(request, { body, origin });
    if ((name === 'signIn' || name === 'consent') && rest !== undefined) {
      const { server } = issuer;
      await takeStep({ server, bus: this.parts.bus, principal, request: copy, response, id: rest, form }, name);
      return;
    }
    await issuer.server.callback()(copy, response);
  }

  /** The first question of a device is never too soon. */
  private async isPolledTooSoon(principal: Principal, path: string, form: URLSearchParams): Promise<boolean> {
    const deviceCode = form.get('device_code');
    if (deviceCode === null || (path !== paths.deviceToken && path !== paths.token)) return false;
    const body = { idHash: hashOf(deviceCode), intervalSeconds: DEVICE_INTERVAL_SECONDS };
    const { isTooSoon } = await this.parts.bus.call('noteDevicePoll', { principal, path: {}, query: {}, body });
    return isTooSoon;
  }
}

function dialectOf({ name, isPage }: Endpoint): Dialect {
  if (isPage) return pageDialect;
  return name === 'deviceToken' ? deviceDialect : oauthDialect;
}

function requireMethod({ methods }: Endpoint, { method }: Request): void {
  if (methods.length === 0) throw noSuchEndpoint();
  const allowed = methods.includes(method) || (method === 'HEAD' && methods.includes('GET'));
  if (!allowed) throw new MethodNotAllowedError(method, methods);
}

const slowDown = (response: Response): void =>
  sendJson(response, 400, { error: 'slow_down', error_description: 'Wait longer before asking again' });

/** The form that was sent, with what the command-line client leaves to the server. */
async function formOf(request: Request): Promise<URLSearchParams> {
  if (!hasBody(request)) return new URLSearchParams();
  if (!/^application\/x-www-form-urlencoded\b/i.test(request.headers['content-type'] ?? '')) {
    throw new AppError('request.unsupported_media_type', 'Send the body as application/x-www-form-urlencoded');
  }
  const form = await collectForm(request, FORM_LIMIT_BYTES);
  if (request.path === paths.deviceAuthorization && !form.get('scope')) form.set('scope', COMMAND_LINE_SCOPE);
  return form;
}

const noSuchEndpoint = (): AppError => new AppError('request.not_found', 'There is nothing here');
