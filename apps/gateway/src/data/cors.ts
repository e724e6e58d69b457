import type { ServerResponse } from 'node:http';
import type { Request } from 'express';

/** How long browsers may remember what they were allowed, in seconds. */
const MAX_AGE_S = 7_200;

/** Lets pages of any site read the reply: what they may read, their token decides, which no browser sends by itself. */
export function allowAnySite(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'x-request-id, retry-after');
}

/** Answers a browser that asks which methods and headers a request may have. */
export function answerPreflight({ headers }: Request, response: ServerResponse, methods: readonly string[]): void {
  const wanted = headers['access-control-request-headers'];
  response.setHeader('access-control-allow-methods', withHead(methods).join(', '));
  response.setHeader('access-control-max-age', MAX_AGE_S);
  response.setHeader('vary', 'access-control-request-headers');
  if (typeof wanted === 'string') response.setHeader('access-control-allow-headers', wanted);
  response.writeHead(204).end();
}

const withHead = (methods: readonly string[]): readonly string[] =>
  methods.includes('GET') ? ['HEAD', ...methods] : methods;
