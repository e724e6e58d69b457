import type { ServerResponse } from 'node:http';
import type { Request } from 'express';

/** How long browsers may remember what they were allowed, in seconds. */
const MAX_AGE_S = 7_200;

/** Lets pages of any site read the reply: what they may read, their token decides, which no browser sends by itself. */
export const allowAnySite = (response: ServerResponse): void => allow(response, '*');

/**
 * Lets pages of the origins read the reply, those of any where there are none. `https://*.example.org` stands for all names below
 * that host.
 */
export function allowOrigins({ headers }: Request, response: ServerResponse, origins: readonly string[]): void {
  if (origins.length === 0) return allowAnySite(response);
  response.appendHeader('vary', 'origin');
  const { origin } = headers;
  if (origin !== undefined && origins.some((each) => covers(each, origin))) allow(response, origin);
}

/** Answers a browser that asks which methods and headers a request may have. */
export function answerPreflight({ headers }: Request, response: ServerResponse, methods: readonly string[]): void {
  const wanted = headers['access-control-request-headers'];
  response.setHeader('access-control-allow-methods', withHead(methods).join(', '));
  response.setHeader('access-control-max-age', MAX_AGE_S);
  response.appendHeader('vary', 'access-control-request-headers');
  if (typeof wanted === 'string') response.setHeader('access-control-allow-headers', wanted);
  response.writeHead(204).end();
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', 'x-request-id, retry-after');
}

/** As browsers compare what `frame-ancestors` names. */
function covers(allowed: string, origin: string): boolean {
  const [scheme = '', host = ''] = allowed.toLowerCase().split('://*.');
  if (host === '') return URL.canParse(allowed) && new URL(allowed).origin === origin;
  return origin.startsWith(`${scheme}://`) && origin.endsWith(`.${host}`);
}

const withHead = (methods: readonly string[]): readonly string[] =>
  methods.includes('GET') ? ['HEAD', ...methods] : methods;
