import { createHash } from 'node:crypto';
import { AppError } from '@plinth/errors';
import type { IdempotencyClaim } from '@plinth/observability';
import type { Request } from 'express';
import { isReading } from './methods';
import { noBody } from './request-body';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/**
 * The claim that an `Idempotency-Key` makes for an operation; undefined for reads and for clients that send none. Without a
 * body its fingerprint lacks one, which the service adds that reads the body as it arrives.
 *
 * @throws AppError `idempotency.key_invalid` (400) for a key that is not 1 to 255 visible ASCII characters.
 */
export function idempotencyClaim(
  operationId: string,
  request: Request,
  body: Buffer = noBody,
): IdempotencyClaim | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined || isReading(request)) return undefined;
  if (typeof key !== 'string' || !keyPattern.test(key)) {
    throw new AppError('idempotency.key_invalid', 'Idempotency-Key takes 1 to 255 visible ASCII characters');
  }
  const fingerprint = createHash('sha256').update(`${request.method} ${request.url}\n`).update(body).digest('hex');
  return { operationId, key, fingerprint };
}
