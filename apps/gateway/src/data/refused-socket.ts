import { hash } from 'node:crypto';
import type { Request, Response } from 'express';

/** What both sides of a handshake know (RFC 6455, section 1.3). */
const HANDSHAKE = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';
/**
 * "Message too big": the one close after which the socket transport of the public client tells its callers why. After any
 * other, and after a handshake that fails, it connects again at once, for ever.
 */
const TOLD = 1009;
const CLOSE_FRAME = 0x88;
/** How long the client has to close its side, in milliseconds. */
const LINGER_MS = 1_000;

/** Opens a WebSocket to close it with a reason of at most 123 bytes. Returns false of a request that asks for something else. */
export function refuseSocket({ headers, method, socket }: Request, response: Response, reason: string): boolean {
  const key = headers['sec-websocket-key'];
  const isSocket = headers.upgrade?.toLowerCase() === 'websocket' && headers['sec-websocket-version'] === VERSION;
  if (method !== 'GET' || !isSocket || typeof key !== 'string') return false;
  const accept = hash('sha1', key + HANDSHAKE, 'base64');
  response.writeHead(101, { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': accept });
  response.flushHeaders();
  const text = Buffer.from(reason);
  const frame = Buffer.from([CLOSE_FRAME, 2 + text.length, TOLD >> 8, TOLD & 0xff]);
  socket.end(Buffer.concat([frame, text]));
  socket.setTimeout(LINGER_MS, () => socket.destroy());
  return true;
}
