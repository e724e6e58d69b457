import type { OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { raw, type Request, type RequestHandler, type Response } from 'express';
import { jsonOf, textOf } from './exact-text';

const readers = new Map<number, RequestHandler>();

function readerFor(limitBytes: number): RequestHandler {
  let reader = readers.get(limitBytes);
  if (!reader) {
    reader = raw({ limit: limitBytes, type: () => true });
    readers.set(limitBytes, reader);
  }
  return reader;
}

/** What a request without a body carries. */
export const noBody = Buffer.alloc(0);

export const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/**
 * Reads the whole body within the operation's limit; an absent one is empty.
 *
 * @throws AppError `request.too_large` (413), `request.malformed_body` (400) for a broken transfer or encoding.
 */
export async function readBody(request: Request, response: Response, operation: OperationDescription): Promise<Buffer> {
  if (!hasBody(request)) return noBody;
  await new Promise<void>((resolve, reject) => {
    readerFor(operation.bodyLimitBytes)(request, response, (error?: unknown) => {
      if (error) reject(bodyError(error, operation.bodyLimitBytes));
      else resolve();
    });
  });
  return Buffer.isBuffer(request.body) ? request.body : noBody;
}

function bodyError(error: unknown, limitBytes: number): AppError {
  const status = (error as { status?: number }).status;
  if (status === 413) {
    return new AppError('request.too_large', `The body is larger than the ${limitBytes} bytes allowed here`);
  }
  if (status === 415) {
    return new AppError('request.unsupported_media_type', 'The content encoding of the body is not supported');
  }
  return new AppError('request.malformed_body', 'The body could not be read to its end', { cause: error });
}

/**
 * The body as JSON; undefined when there is none. Clients that send no Content-Type are taken at their bytes.
 *
 * @throws AppError `request.unsupported_media_type` (415), `request.malformed_body` (400).
 */
export function parseJson(body: Buffer, contentType: string | undefined): unknown {
  if (isBlank(body)) return undefined;
  if (contentType !== undefined && !/^application\/([\w.+-]+\+)?json\b/i.test(contentType)) {
    throw new AppError('request.unsupported_media_type', 'Send the body as application/json');
  }
  return jsonOf(textOf(body, contentType));
}

const isBlank = (body: Buffer): boolean => !body.some((byte) => byte > 0x20);
