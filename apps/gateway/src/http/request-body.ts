import type { IncomingMessage } from 'node:http';
import { AppError } from '@plinth/errors';
import { jsonOf, textOf } from './exact-text';

/** What a request without a body carries. */
export const noBody = Buffer.alloc(0);

export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/**
 * The body as JSON; undefined when there is none. Clients that send no Content-Type are taken at their bytes.
 *
 * @throws AppError `request.unsupported_media_type` (415), `request.malformed_body` (400).
 */
export function parseJson(body: Buffer, contentType: string | undefined): unknown {
  if (isBlank(body)) return undefined;
  requireJson(contentType);
  return jsonOf(textOf(body, contentType));
}

/** @throws AppError `request.unsupported_media_type` (415) for a body that comes under another type. */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined || /^application\/([\w.+-]+\+)?json\b/i.test(contentType)) return;
  throw new AppError('request.unsupported_media_type', 'Send the body as application/json');
}

const isBlank = (body: Buffer): boolean => !body.some((byte) => byte > 0x20);
