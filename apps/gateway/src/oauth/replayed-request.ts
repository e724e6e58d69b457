import { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** What the gateway has decided about a request, in place of what its headers claim. */
export interface ReplayedFacts {
  body: Buffer;
  /** Scheme and host under which the request arrived. */
  origin: URL;
}

const CLAIMED = /^(x-forwarded-.*|forwarded|x-real-ip|transfer-encoding|content-length)$/;

/** The request once more, for a framework that reads the body itself and believes forwarding headers. */
export function replayed(request: Request, { body, origin }: ReplayedFacts): IncomingMessage {
  const copy = new IncomingMessage(request.socket);
  copy.method = request.method;
  copy.url = request.originalUrl;
  copy.httpVersion = request.httpVersion;
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !CLAIMED.test(name)) copy.headers[name] = value;
  }
  copy.headers['x-forwarded-proto'] = origin.protocol.slice(0, -1);
  if (body.length > 0) copy.headers['content-length'] = String(body.length);
  copy.push(body.length > 0 ? body : null);
  if (body.length > 0) copy.push(null);
  copy.complete = true;
  return copy;
}
