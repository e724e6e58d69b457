import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Bus } from '@plinth/messaging';
import { frameworkLogger, readiness, type Logger, type ReadinessCheck } from '@plinth/observability';
import type { NextFunction, Request, Response } from 'express';
import type { Registry } from 'prom-client';
import { Authenticator } from './auth/authenticator';
import { DeploymentTokens } from './auth/deployment-tokens';
import { Denials } from './auth/denials';
import { DataCredentials } from './data/data-credentials';
import { DataPlaces } from './data/data-places';
import { DataHandler } from './data/data.handler';
import { DataRouter } from './data/data.router';
import { docsPage } from './docs/docs.page';
import type { GatewayConfig } from './gateway.config';
import { EmbedAccounts } from './tenants/embed-accounts';
import { embedPath, embedRouter } from './embed/embed.router';
import { OpenFrames } from './embed/open-frames';
import { Edge } from './http/edge';
import { FailureLimiter } from './limits/failure-limiter';
import { FastExpressAdapter } from './http/fast-express.adapter';
import { OperationHandler } from './http/operation.handler';
import { OperationRouter } from './http/operation.router';
import { RateLimiter } from './limits/rate-limiter';
import { readOnly } from './http/read-only';
import { sendJson } from './http/reply';
import { RequestMetrics } from './http/request-metrics';
import { hasPath } from './http/request-target';
import { securityHeaders } from './http/security-headers';
import { closeUnread } from './http/unread-body';
import { homePage, missingPage } from './pages/home.page';
import { oauthCallbackPage, oauthCallbackPath } from './pages/oauth-callback.page';
import { PageHandler } from './pages/page-handler';
import { unsubscribePage, unsubscribePath } from './pages/unsubscribe.page';
import { passwordLinkPage, passwordLinkPaths } from './pages/password-link.page';
import { Issuers } from './oauth/issuers';
import { OAuthHandler } from './oauth/oauth.handler';
import { ScimRequestLog } from './scim-requests/scim-request-log';
import { PublicOrigins } from './tenants/public-origins';
import { TenantResolver } from './tenants/tenant.resolver';

export interface GatewayContext {
  config: GatewayConfig;
  bus: Bus;
  logger: Logger;
  metrics: Registry;
}

export interface RunningGateway {
  url: string;
  checks: Readonly<Record<string, ReadinessCheck>>;
  /** Stops accepting, lets running requests finish, then resolves. */
  close(): Promise<void>;
}

@Module({})
class GatewayModule {}

/** Starts the only public port of the platform. */
export async function startGateway(context: GatewayContext): Promise<RunningGateway> {
  const { config, bus, logger } = context;
  const tls = config.tlsCertificate && config.tlsKey ? { cert: config.tlsCertificate, key: config.tlsKey } : undefined;
  const adapter = new FastExpressAdapter();
  const application = await NestFactory.create<NestExpressApplication>(GatewayModule, adapter, {
    logger: frameworkLogger(logger),
    bodyParser: false,
    ...(tls && { httpsOptions: tls }),
  });
  application.set('trust proxy', [...config.trustedProxies]);
  application.set('query parser', 'simple');
  const failures = new FailureLimiter(config.failureLimitPerMinute, logger, context.metrics);
  const tenants = new TenantResolver(bus, failures, config.tenantCacheMs, config.aiUrl);
  let closing = false;
  const checks = {
    bus: () => bus.isConnected(),
    directory: () => tenants.isAnswered(),
    accepting: () => !closing,
  };
  const edge = new Edge({ tenants, metrics: new RequestMetrics(context.metrics), logger });
  const scimRequests = new ScimRequestLog(bus, logger, context.metrics);
  const accounts = new EmbedAccounts(bus, config.credentialCacheMs);
  const handler = operationHandler(context, edge, failures, scimRequests, accounts);
  const data = dataHandler(context, edge, failures);
  adapter.useFront((request, response) => {
    // A connection that is kept alive would keep the gateway from ending.
    if (closing) response.setHeader('connection', 'close');
    closeUnread(request, response, nothing);
    securityHeaders(request, response, nothing);
    if (hasPath(request)) return data.serveData(request, response) || handler.serveOperation(request, response);
    void handler.handle(request, response);
    return true;
  });
  application.use(['/healthz/live', '/healthz/ready', '/docs'], readOnly);
  application.use('/healthz/live', (_request: Request, response: Response) =>
    sendJson(response, 200, { status: 'ok' }),
  );
  application.use('/healthz/ready', (_request: Request, response: Response) => void sendReadiness(response, checks));
  application.use('/docs', docsPage());
  const pages = new PageHandler(edge, new RateLimiter(config.pageRateLimitPerMinute));
  application.use(passwordLinkPaths, passwordLinkPage(pages, bus));
  application.use(oauthCallbackPath, oauthCallbackPage(pages, bus));
  application.use(unsubscribePath, unsubscribePage(pages, bus));
  const frames = new OpenFrames(bus, logger);
  application.use(embedPath, embedPages(context, edge, failures, frames, accounts));
  application.use(homePage(pages));
  application.use(oauthHandler(context, edge, failures).handle);
  application.use('/auth', missingPage(pages));
  application.use((request: Request, response: Response) => void handler.handle(request, response));
  // What Express cannot make out, such as an encoded path that is no text, is refused as any other request is.
  application.use((_error: unknown, request: Request, response: Response, _next: NextFunction) => {
    void handler.handle(request, response);
  });
  await application.listen(config.port, config.host);
  const server: Server = application.getHttpServer();
  return {
    url: urlOf(server, tls !== undefined, config.host),
    checks,
    close: async () => {
      closing = true;
      frames.close();
      await closeServer(server, config.shutdownGraceMs);
      await scimRequests.close();
    },
  };
}

const nothing = (): void => undefined;

const operationHandler = (
  { config, bus, logger }: GatewayContext,
  edge: Edge,
  failures: FailureLimiter,
  scimRequests: ScimRequestLog,
  accounts: EmbedAccounts,
): OperationHandler =>
  new OperationHandler({
    edge,
    bus,
    router: new OperationRouter(),
    authenticator: new Authenticator(bus, failures, config.credentialCacheMs),
    deploymentTokens: new DeploymentTokens(bus, failures, config.credentialCacheMs),
    rateLimiter: new RateLimiter(config.rateLimitPerMinute),
    failures,
    denials: new Denials(bus, logger),
    scimRequests,
    accounts,
  });

const oauthHandler = ({ config, bus, logger }: GatewayContext, edge: Edge, failures: FailureLimiter): OAuthHandler =>
  new OAuthHandler({
    edge,
    bus,
    failures,
    issuers: new Issuers(bus, logger, config.oauthClients),
    origins: new PublicOrigins(config.publicUrlTemplate),
    rateLimiter: new RateLimiter(config.rateLimitPerMinute),
    pageRateLimiter: new RateLimiter(config.pageRateLimitPerMinute),
  });

const dataHandler = ({ config, bus }: GatewayContext, edge: Edge, failures: FailureLimiter): DataHandler =>
  new DataHandler({
    edge,
    bus,
    failures,
    router: new DataRouter(config.dataBasePath),
    places: new DataPlaces(bus, failures, config.tenantCacheMs),
    credentials: new DataCredentials(bus, failures, config.credentialCacheMs),
    rateLimiter: new RateLimiter(config.rateLimitPerMinute),
  });

const embedPages = (
  { config, bus }: GatewayContext,
  edge: Edge,
  failures: FailureLimiter,
  frames: OpenFrames,
  accounts: EmbedAccounts,
): ReturnType<typeof embedRouter> =>
  embedRouter(
    {
      edge,
      bus,
      authenticator: new Authenticator(bus, failures, config.credentialCacheMs),
      rateLimiter: new RateLimiter(config.rateLimitPerMinute),
      pageRateLimiter: new RateLimiter(config.rateLimitPerMinute),
      accounts,
    },
    frames,
  );

async function sendReadiness(response: Response, checks: Readonly<Record<string, ReadinessCheck>>): Promise<void> {
  const health = await readiness(checks);
  sendJson(response, health.status === 'ok' ? 200 : 503, health);
}

function urlOf(server: Server, secure: boolean, host: string): string {
  const { port } = server.address() as AddressInfo;
  return `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}
