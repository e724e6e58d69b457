import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { NextFunction, Request, Response } from 'express';
import type Express from 'express';
import type { EngineCore } from './core';
import type { Requests } from './requests';

/** The version that the engine's gateway is made for. What is used of it here is the same in both. */
const express4 = createRequire(__filename)('express4') as typeof Express;
const BODY_LIMIT = '4mb';
const API = '/cubejs-api/v1';
/** What of the engine is served, and how. */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  '/readyz': ['GET'],
  '/livez': ['GET'],
  [`${API}/load`]: ['GET', 'POST'],
  [`${API}/subscribe`]: ['GET', 'POST'],
  [`${API}/sql`]: ['GET', 'POST'],
  [`${API}/dry-run`]: ['GET', 'POST'],
  [`${API}/meta`]: ['GET'],
  [`${API}/cubesql`]: ['POST'],
  [`${API}/convert-query`]: ['POST'],
  '/cubejs-api/graphql': ['GET', 'POST'],
};
const HEADERS_TIMEOUT_MS = 10_000;

/** The engine behind HTTP, as it answers on its socket. */
export async function createHttpServer(core: EngineCore, requests: Requests): Promise<Server> {
  const app = express4();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((request: Request, _: Response, next: NextFunction) => {
    if (request.path === `${API}/graphql`) request.url = request.url.replace(`${API}/graphql`, '/cubejs-api/graphql');
    next();
  });
  app.use(onlyServed);
  app.use(express4.json({ limit: BODY_LIMIT }));
  // The engine's own handler would take these for its failures.
  app.use(answerError);
  app.use('/cubejs-api', requests.follow);
  await core.initApp(app as never);
  app.use(answerError);
  const server = createServer(app);
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  return server;
}

function onlyServed({ path, method }: Request, response: Response, next: NextFunction): void {
  const methods = ROUTES[path];
  if (methods?.includes(method)) return next();
  if (!methods) return void response.status(404).json({ error: 'There is nothing here' });
  response.setHeader('Allow', methods.join(', '));
  response.status(405).json({ error: `${method} is not supported here` });
}

function answerError(error: unknown, _: Request, response: Response, next: NextFunction): void {
  if (response.headersSent) return next(error);
  const { status, message } = error as { status?: unknown; message?: unknown };
  const known = typeof status === 'number' && status >= 400 && status < 500;
  response.status(known ? status : 500).json({ error: known ? message : 'The engine failed' });
}
