import { randomUUID } from 'node:crypto';
import type { Request } from 'express';

/** The caller's `X-Request-Id` when it is harmless text, else a new one. */
export function requestIdOf(request: Request): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
