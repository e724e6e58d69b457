import { AppError } from '@plinth/errors';
import type { Request } from 'express';

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && /^(::1|(::ffff:)?127\.)/.test(address);

/**
 * Lets a request pass that came over TLS, or over a trusted proxy's TLS, or over plain HTTP to a loopback address.
 * Anything else is refused rather than redirected: its credential has already crossed the network in the clear.
 *
 * @throws AppError `transport.https_required` (403).
 */
export function requireSecureTransport(request: Request): void {
  if (request.secure) return;
  const forwarded = request.headers['x-forwarded-proto'] !== undefined || request.headers['forwarded'] !== undefined;
  if (!forwarded && isLoopback(request.socket.localAddress)) return;
  throw new AppError('transport.https_required', 'Only HTTPS is served here');
}
