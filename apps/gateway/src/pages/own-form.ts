import { AppError } from '@plinth/errors';
import type { Request } from 'express';

/**
 * Refuses a form that another site made the browser send. Browsers say where a form comes from in `Origin`, and in
 * `Sec-Fetch-Site`, which no page can forge; a program that sends neither has nobody's browser to abuse.
 *
 * @throws AppError `access.denied` (403).
 */
export function requireOwnForm({ headers }: Pick<Request, 'headers'>): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign = origin !== undefined ? hostOf(origin) !== host?.toLowerCase() : false;
  if (isForeign || (site !== undefined && site !== 'same-origin')) {
    throw new AppError('access.denied', 'The form was sent from another site');
  }
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
