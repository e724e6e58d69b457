import type { Principal } from '@plinth/auth';
import type { WireError } from '@plinth/errors';
import type { IdempotencyClaim } from '@plinth/observability';
import type { ByteStream } from './bus';

/** A request as it crosses the bus; everything in it survives JSON. */
export interface RequestEnvelope {
  requestId: string;
  traceparent?: string;
  /** Milliseconds the caller still waits. */
  timeoutMs: number;
  clientIp?: string;
  origin?: string;
  idempotency?: IdempotencyClaim;
  call: {
    principal: Principal;
    path: unknown;
    query: unknown;
    body?: unknown;
    headers?: Readonly<Record<string, string>>;
    rawBody?: string;
  };
}

/** How a request ended. `stream` is the only part that is not plain data. */
export type Outcome =
  /** `replayed` says that the reply is the stored one of an earlier request with the same idempotency key. */
  | { kind: 'reply'; reply?: unknown; replayed?: boolean }
  /** `notBegun` says that the responder has not even looked at the request, so that it may be made again. */
  | { kind: 'error'; error: WireError; notBegun?: boolean }
  | { kind: 'stream'; headers: Record<string, string>; stream: ByteStream };

/** What serves a subject. Never rejects: a failure is an outcome too. `abandoned` is aborted when the caller has gone. */
export type Responder = (envelope: RequestEnvelope, upload?: ByteStream, abandoned?: AbortSignal) => Promise<Outcome>;

export interface RequestOptions {
  upload?: ByteStream;
  /** Has the reply, if there is one, come as its JSON. */
  asJson?: boolean;
  /** Ends the wait before the envelope's `timeoutMs` has passed, and tells the responder. */
  signal?: AbortSignal;
}

/** Nobody serves the subject, so the request was certainly not started. */
export class NoResponderError extends Error {
  override readonly name = 'NoResponderError';
}

/** Moves envelopes, notices and byte streams; knows nothing of operations. `MessageBus` adds their meaning. */
export interface Transport {
  /**
   * Sends to one responder of the subject and waits for its outcome.
   *
   * @throws NoResponderError at once when nobody serves the subject; AppError `service.deadline_exceeded`.
   */
  request(subject: string, envelope: RequestEnvelope, options: RequestOptions): Promise<Outcome>;
  /**
   * Serves a subject; responders that share a queue share the requests. The returned function stops accepting and
   * resolves when what was accepted has been handed to the responder and answered in full.
   */
  respond(subject: string, queue: string, responder: Responder): () => Promise<void>;
  /** Fire and forget: who publishes has done its work already, and must not fail for this. */
  publish(topic: string, payload: Record<string, unknown>): void;
  subscribe(topic: string, handler: (payload: Record<string, unknown>) => void): () => void;
  /** Resolves when everything asked for so far is known to the other side. */
  flush(): Promise<void>;
  isConnected(): boolean;
  close(): Promise<void>;
}
