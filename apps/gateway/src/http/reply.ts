import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { AppError } from '@plinth/errors';
import type { StreamReply } from '@plinth/messaging';
import type { Response } from 'express';
import { isScimPath, SCIM_JSON, scimErrorBody } from '../dialects/scim.dialect';
import { platformErrorBody } from '../dialects/platform.dialect';
import { MethodNotAllowedError } from './operation.router';

const jsonType = 'application/json; charset=utf-8';

/** Sends a JSON reply in one write; no body when there is nothing to say. */
export function sendJson(response: Response, status: number, body: unknown, contentType = jsonType): void {
  if (body === undefined || status === 204) {
    response.writeHead(status).end();
    return;
  }
  // A string leaves in one write together with the headers, a buffer in two.
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** Sends the bytes as they come; the producer waits for a slow client and stops when the client goes, which is no error. */
export async function sendStream(response: Response, status: number, reply: StreamReply): Promise<void> {
  response.writeHead(status, reply.headers);
  try {
    await pipeline(Readable.from(reply.stream, { objectMode: false }), response);
  } catch (thrown) {
    if (thrown instanceof AppError || !response.destroyed) throw thrown;
  }
}

/** Sends an error in the dialect of the path, with the headers that its status calls for. */
export function sendError(response: Response, error: AppError, path: string, requestId: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error.status === 401) response.setHeader('www-authenticate', 'Bearer realm="plinth"');
  if (error.retryAfterSeconds !== undefined) response.setHeader('retry-after', error.retryAfterSeconds);
  if (error instanceof MethodNotAllowedError) response.setHeader('allow', error.allowed.join(', '));
  if (isScimPath(path)) sendJson(response, error.status, scimErrorBody(error), SCIM_JSON);
  else sendJson(response, error.status, platformErrorBody(error, requestId));
}
