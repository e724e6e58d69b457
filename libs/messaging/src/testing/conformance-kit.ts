import { createHash, randomBytes } from 'node:crypto';
import { systemPrincipal } from '@plinth/auth';
import type { OperationId, ServiceName } from '@plinth/contract';
import type { AppError } from '@plinth/errors';
import { until as untilAnswered } from '@plinth/testing';
import type { Bus, ByteStream, Call, Handler, ServeOptions } from '../bus';
import type { BusLogger } from '../logger';

/** What a transport's suite provides: connections that reach each other, closed after each test. */
export interface BusNetwork {
  connect(name: ServiceName, logger?: BusLogger): Promise<Bus>;
}

export type AnyCall = Call<OperationId> & { path: { deploymentId: number } };
export type AnyHandler = (call: AnyCall) => Promise<unknown>;

/** An operation of control-plane, any one of which may take the call. */
export const GET = 'getDeployment';
/** Operations on a deployment, which its owner takes. */
export const OWNED = { 'build-worker': 'fileHashes', runtime: 'pods' } as const;
export const MEBIBYTE = 1024 * 1024;

/** A logger that says nothing. */
export const silent: BusLogger = { info: () => {}, warn: () => {}, error: () => {} };

/** A call on a deployment, for any operation. */
export const callTo = <Id extends OperationId>(deploymentId: number, more: object = {}): Call<Id> =>
  ({ principal: systemPrincipal(1), path: { deploymentId }, query: {}, ...more }) as unknown as Call<Id>;

export const serve = (bus: Bus, operationId: OperationId, handler: AnyHandler, options?: ServeOptions): Promise<void> =>
  bus.serve(new Map([[operationId, handler as Handler]]), options);

/** Polls until the condition holds. */
export const until = async (condition: () => boolean | Promise<boolean>, what: string): Promise<void> =>
  void (await untilAnswered(what, condition, Boolean));

/** The error that the promise rejects with. */
export const failureOf = (promise: Promise<unknown>): Promise<AppError> =>
  promise.then(
    () => Promise.reject(new Error('Expected a failure')),
    (thrown: unknown) => thrown as AppError,
  );

/** Waits for the signal alone. */
export const never = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** A stream of the size whose progress can be watched. */
export function source(
  bytes: number,
  chunkBytes = 64 * 1024,
): { stream: ByteStream; produced: number; hash: string; stopped: boolean } {
  const chunk = randomBytes(chunkBytes);
  const hash = createHash('sha256');
  const state = { stream: produce(), produced: 0, hash: '', stopped: false };
  async function* produce(): AsyncGenerator<Uint8Array> {
    try {
      for (let left = bytes; left > 0; left -= chunkBytes) {
        chunk.writeUInt32BE(state.produced++);
        hash.update(chunk);
        yield chunk;
      }
      state.hash = hash.digest('hex');
    } finally {
      state.stopped = true;
    }
  }
  return state;
}

/** Reads a stream to its end, noting how far its producer was ahead at worst (in bytes). */
export async function drained(
  stream: ByteStream,
  producedBytes: () => number,
): Promise<{ hash: string; ahead: number }> {
  const hash = createHash('sha256');
  let read = 0;
  let ahead = 0;
  for await (const chunk of stream) {
    ahead = Math.max(ahead, producedBytes() - read);
    read += chunk.length;
    hash.update(chunk);
  }
  return { hash: hash.digest('hex'), ahead };
}

/** The upload of a call that must have one. */
export function uploadOf({ upload }: { upload?: ByteStream }): ByteStream {
  if (!upload) throw new Error('The call has no upload');
  return upload;
}
