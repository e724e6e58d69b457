import type { NextFunction, Request, Response } from 'express';

/** Headers of an API that answers JSON alone: nothing may be framed, sniffed, cached or run. */
const headers: ReadonlyMap<string, string> = new Map([
  ['cache-control', 'no-store'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['strict-transport-security', 'max-age=31536000; includeSubDomains'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
]);

export function securityHeaders(_request: Request, response: Response, next: NextFunction): void {
  response.setHeaders(headers as Map<string, string>);
  next();
}
