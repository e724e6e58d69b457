import { AsyncLocalStorage } from 'node:async_hooks';

/** An `Idempotency-Key` as it travels with a call. */
export interface IdempotencyClaim {
  /** The operation that answers for the key; nothing else that is done for the request makes a claim of its own. */
  operationId: string;
  key: string;
  /** SHA-256 (hex) over method, path, query and body: tells a repeat from another request with the same key. */
  fingerprint: string;
}

/** What the audit log shall say about a request; secrets in `attributes` are already hidden. */
export interface AuditedAction {
  event: string;
  attributes: Record<string, unknown>;
  /** Null for operations that do not concern a deployment. */
  deploymentId: number | null;
  /** Name of the attribute for the `id` in the reply. */
  target?: string;
}

/** What belongs to one request everywhere it goes; restored on the other side of the bus. */
export interface RequestContext {
  requestId: string;
  /** W3C trace context header, passed on unchanged. */
  traceparent?: string;
  operationId?: string;
  clientIp?: string;
  /** Scheme, host and port at which the client reached the platform; absent in background work. */
  origin?: string;
  idempotency?: IdempotencyClaim;
  /** Present while an audited operation is being served. */
  audit?: AuditedAction;
  /** Set when the answer is the stored one of an earlier request with the same idempotency key. */
  replayed?: boolean;
  /** Aborted when the caller's deadline has passed or the caller has gone. */
  signal?: AbortSignal;
  /** Ends the request with this error unless it has ended, whatever its work still does. */
  fail?: (error: unknown) => void;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** Runs `work` with the context; everything it awaits sees the same one. */
export const runInContext = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/** The context of the request being served; undefined in background work. */
export const requestContext = (): RequestContext | undefined => storage.getStore();

/** The outcome of the work, or the error with which the request being served is failed before. */
export function unlessFailed<T>(work: () => Promise<T>): Promise<T> {
  const context = storage.getStore();
  if (!context) return work();
  return new Promise<T>((resolve, reject) => {
    context.fail = reject;
    work().then(resolve, reject);
  });
}

/** Notes on the request being served that its answer is a stored one, so that the client can be told. */
export function markReplayed(): void {
  const context = storage.getStore();
  if (context) context.replayed = true;
}
