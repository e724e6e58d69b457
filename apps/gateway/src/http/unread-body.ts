import type { Request, RequestHandler, Response } from 'express';
import { hasBody } from './request-body';

/** What is still taken from a client that goes on sending after its answer. */
const LINGER_BYTES = 1024 * 1024;
/** How long its connection stays, though nothing more is taken: it notices its answer soon, or never. */
const LINGER_MS = 1_000;

type End = (...parameters: unknown[]) => Response;

/**
 * Ends the connection of a request that is answered before its body was read, instead of reading on for as long as the
 * client likes. A close while bytes are on their way would take the answer along, so a few are still let in, and a client
 * that cannot send on gets the time to read it.
 */
export const closeUnread: RequestHandler = (request, response, next) => {
  if (hasBody(request)) watch(request, response);
  next();
};

function watch(request: Request, response: Response): void {
  const writeHead = response.writeHead.bind(response) as End;
  const end = response.end.bind(response) as End;
  response.writeHead = ((...parameters: unknown[]) => {
    if (!request.complete) response.setHeader('connection', 'close');
    return writeHead(...parameters);
  }) as Response['writeHead'];
  response.end = ((...parameters: unknown[]) => {
    if (request.complete || request.destroyed) return end(...parameters);
    const [content] = parameters;
    if (typeof content === 'string' || content instanceof Uint8Array) {
      if (!response.headersSent) response.setHeader('content-length', Buffer.byteLength(content));
      response.write(content);
    } else response.flushHeaders();
    void linger(request).then(() => end());
    return response;
  }) as Response['end'];
}

function linger(request: Request): Promise<void> {
  return new Promise((resolve) => {
    let left = LINGER_BYTES;
    const timer = setTimeout(stop, LINGER_MS);
    function stop(): void {
      clearTimeout(timer);
      request.off('data', take).pause();
      resolve();
    }
    function take(chunk: Buffer): void {
      left -= chunk.length;
      if (left < 0) request.off('data', take).pause();
    }
    request.on('data', take).once('end', stop).once('close', stop).resume();
  });
}
