import { headers as newHeaders, type Msg, type MsgHdrs } from 'nats';
import type { WireError } from '@plinth/errors';
import type { RequestEnvelope } from './transport';

/** Messages whose encoded form is larger than this travel as byte streams. */
export const MAX_MESSAGE_BYTES = 256 * 1024;

const REQUEST_ID = 'Request-Id';
const TRACEPARENT = 'traceparent';
const TIMEOUT_MS = 'Timeout-Ms';
/** Address of the stream that holds the request when it is too large for one message. */
const BODY_STREAM = 'Body-Stream';
const UPLOAD_STREAM = 'Upload-Stream';
/** Says that the caller takes a short stream in the reply; one of an earlier version does not. */
const SHORT_STREAMS = 'Short-Streams';
/** Name under which the caller would say that it has gone. */
const CALL = 'Call';

type RequestBody = Pick<RequestEnvelope, 'call' | 'clientIp' | 'origin' | 'idempotency'>;

/**
 * A reply as it travels; `body` is the address of a stream that holds a reply too large for one message, `content` a stream as a
 * whole, in base64.
 */
export type WireReply =
  | { reply?: unknown; replayed?: boolean }
  | { error: WireError; notBegun?: boolean }
  | { headers: Record<string, string>; stream: string }
  | { headers: Record<string, string>; content: string }
  | { body: string };

export const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

export const decode = (bytes: Uint8Array): unknown =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());

export const encodeRequestBody = ({ call, clientIp, origin, idempotency }: RequestEnvelope): Buffer =>
  encode({ call, clientIp, origin, idempotency });

/** What a request says beside its envelope. */
interface RequestParts {
  bodyStream?: string | undefined;
  uploadStream?: string | undefined;
  call?: string | undefined;
}

export function requestHeaders(
  envelope: RequestEnvelope,
  { bodyStream, uploadStream, call }: RequestParts = {},
): MsgHdrs {
  const headers = newHeaders();
  headers.set(REQUEST_ID, envelope.requestId);
  headers.set(TIMEOUT_MS, String(envelope.timeoutMs));
  headers.set(SHORT_STREAMS, '1');
  if (envelope.traceparent !== undefined) headers.set(TRACEPARENT, envelope.traceparent);
  if (bodyStream !== undefined) headers.set(BODY_STREAM, bodyStream);
  if (uploadStream !== undefined) headers.set(UPLOAD_STREAM, uploadStream);
  if (call !== undefined) headers.set(CALL, call);
  return headers;
}

export const bodyStreamOf = (message: Msg): string | undefined => message.headers?.get(BODY_STREAM) || undefined;

export const takesShortStreams = (message: Msg): boolean => message.headers?.has(SHORT_STREAMS) === true;

export const callOf = (message: Msg): string | undefined => message.headers?.get(CALL) || undefined;

export const uploadStreamOf = (message: Msg): string | undefined => message.headers?.get(UPLOAD_STREAM) || undefined;

/**
 * The request in a message.
 *
 * @throws Error when the message is not one that a bus sends.
 */
export function decodeRequest(message: Msg, body: Uint8Array): RequestEnvelope {
  const decoded = decode(body) as RequestBody | null;
  const timeoutMs = Number(message.headers?.get(TIMEOUT_MS));
  const requestId = message.headers?.get(REQUEST_ID);
  const traceparent = message.headers?.get(TRACEPARENT);
  if (!requestId || !(timeoutMs > 0) || typeof decoded?.call?.principal !== 'object') {
    throw new Error('Not a request of the bus');
  }
  return { ...decoded, requestId, timeoutMs, ...(traceparent && { traceparent }) };
}
