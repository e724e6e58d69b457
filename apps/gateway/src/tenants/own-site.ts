import { AppError } from '@plinth/errors';
import type { Request } from 'express';

/**
 * Refuses what another site made a browser send. Browsers say where a request comes from in `Origin`, and in
 * `Sec-Fetch-Site`, which no page can forge; a program that sends neither has nobody's browser to abuse. The host is one
 * of the tenant's, so that a name which was made to point here does not pass for one.
 *
 * @throws AppError `access.denied` (403).
 */
export function requireOwnSite({ headers }: Pick<Request, 'headers'>, message: string): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign = origin !== undefined ? hostOf(origin) !== host?.toLowerCase() : false;
  if (isForeign || (site !== undefined && site !== 'same-origin')) throw new AppError('access.denied', message);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
