import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { AppError } from '@plinth/errors';
import { beginningOf, type StreamReply } from '@plinth/messaging';
import { jsonContent, type Content } from '../dialects/content';
import type { Dialect } from '../dialects/dialect';
import { MethodNotAllowedError } from './methods';

/** Sends a reply in one write, with its length for those who ask for the headers alone. */
export function sendContent(response: ServerResponse, status: number, { headers, text }: Content): void {
  // A string leaves in one write together with the headers, a buffer in two.
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Sends a reply that has nothing to say beyond its headers. */
export function sendNothing(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}

export const sendJson = (response: ServerResponse, status: number, body: unknown): void =>
  sendContent(response, status, jsonContent(body));

/** What is sent in one write, with its length, if it is there already. */
const SHORT_BYTES = 64 * 1024;

/** Sends the bytes as they come; the producer waits for a slow client and stops when the client goes, which is no error. */
export async function sendStream(response: ServerResponse, status: number, reply: StreamReply): Promise<void> {
  const beginning = await beginningOf(reply.stream, SHORT_BYTES);
  if ('whole' in beginning) {
    response.writeHead(status, { ...reply.headers, 'content-length': beginning.whole.length }).end(beginning.whole);
    return;
  }
  response.writeHead(status, reply.headers);
  try {
    await pipeline(Readable.from(beginning.rest, { objectMode: false }), response);
  } catch (thrown) {
    if (thrown instanceof AppError || !response.destroyed) throw thrown;
  }
}

/** Sends an error in a dialect, with the headers that it calls for in each; a reply that has begun is broken off. */
export function sendError(response: ServerResponse, error: AppError, dialect: Dialect, requestId: string): void {
  if (response.headersSent) {
    if (!response.writableEnded) response.destroy();
    return;
  }
  if (error.status === 401 && !response.hasHeader('www-authenticate'))
    response.setHeader('www-authenticate', 'Bearer realm="plinth"');
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', error.retryAfterSeconds);
  if (error instanceof MethodNotAllowedError) response.setHeader('allow', error.allowed.join(', '));
  sendContent(response, error.status, dialect.errorContent(error, requestId));
}
