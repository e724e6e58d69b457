import type { Principal } from '@plinth/auth';
import type { BodyOf, OperationId, PathOf, QueryOf, ReplyOf } from '@plinth/contract';

/** A body that is not held in memory; consuming it slowly slows its producer down. */
export type ByteStream = AsyncIterable<Uint8Array>;

/** A validated request to one operation. Keys that an operation does not have are absent from its type. */
export interface Call<Id extends OperationId> {
  principal: Principal;
  path: PathOf<Id>;
  query: QueryOf<Id>;
  body: BodyOf<Id>;
  /** The header parameters that the request came with, by their names in lower case. */
  headers?: Readonly<Record<string, string>>;
  /** The whole body in base64, for operations with `x-raw-body`. */
  rawBody?: string;
  /** Bytes of the request, for operations with `x-stream: request`. */
  upload?: ByteStream;
}

/** Answer of an operation with `x-stream: response`. */
export interface StreamReply {
  headers: Record<string, string>;
  stream: ByteStream;
}

export type Handler<Id extends OperationId = OperationId> = (call: Call<Id>) => Promise<ReplyOf<Id> | StreamReply>;

/** Operations whose whole request is their body, which is what services ask of each other. */
export type AskedOperationId = {
  [Id in OperationId]: [PathOf<Id>, QueryOf<Id>] extends [Record<string, never>, Record<string, never>] ? Id : never;
}[OperationId];

export interface CallOptions {
  /** Milliseconds until the caller gives up; the operation's `x-timeout` when absent. */
  timeoutMs?: number;
  /**
   * Lets the called operation answer for the idempotency key of the request being served; for a service that keeps
   * nothing itself. Otherwise the key goes along with the call of its own operation alone.
   */
  passesClaimOn?: boolean;
}

/** A change that replicas tell each other about; fire and forget, for caches only. */
export interface Notice {
  /** `<service>.<aggregate>.<pastTense>`, for example `control-plane.credential.revoked`. */
  topic: string;
  payload: Record<string, unknown>;
}

/**
 * How services talk. Two transports stand behind it, NATS and in-process, and behave alike.
 *
 * Every call ends: with the reply, with the handler's `AppError`, with `service.unavailable` (503) when nobody
 * serves the operation, or with `service.deadline_exceeded` (504).
 */
export interface Bus {
  call<Id extends OperationId>(operationId: Id, call: Call<Id>, options?: CallOptions): Promise<ReplyOf<Id>>;
  /** Calls an operation whose whole request is its body. */
  ask<Id extends AskedOperationId>(
    operationId: Id,
    principal: Principal,
    body: BodyOf<Id>,
    options?: CallOptions,
  ): Promise<ReplyOf<Id>>;
  /** As {@link call}, for who passes the reply on as it is: its JSON, or undefined when there is none. */
  callForJson<Id extends OperationId>(
    operationId: Id,
    call: Call<Id>,
    options?: CallOptions,
  ): Promise<string | undefined>;
  /** Calls an operation whose reply is a stream of bytes. Ending the iteration early cancels the producer. */
  callForStream<Id extends OperationId>(operationId: Id, call: Call<Id>, options?: CallOptions): Promise<StreamReply>;
  /** Serves operations in the queue group of their service until the bus is closed. */
  serve(handlers: ReadonlyMap<OperationId, Handler>, options?: ServeOptions): Promise<void>;
  /** Fire and forget: a notice that cannot be sent is logged, and does not fail its sender. */
  publish(notice: Notice): void;
  /** Every subscriber on every replica gets every notice. Returns the function that ends the subscription. */
  subscribe(topic: string, handler: (payload: Record<string, unknown>) => void): () => void;
  /** The workers of an owned service (`build-worker`, `runtime`), as far as this process has heard of them. */
  workersOf(service: string): Workers;
  /** Whether messages can be exchanged right now. */
  isConnected(): boolean;
  /** Stops accepting, finishes what runs (at most `graceMs`), leaves the queue groups, disconnects. */
  close(graceMs?: number): Promise<void>;
}

/** Replicas of a service whose operations on a deployment go to the one that owns it. */
export interface Workers {
  isAlive(workerId: string): boolean;
  /** Undefined while no worker has been heard of. */
  ownerOf(deploymentId: string): string | undefined;
}

export interface ServeOptions {
  /** Makes the operations reachable under this worker's own address too, and announces it as an owner. */
  workerId?: string;
}
