import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { authorize } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { operation, type OperationId } from '@plinth/contract';
import { failpoint, runInContext, unlessFailed, type RequestContext } from '@plinth/observability';
import { auditedAction } from './audit-trail';
import type { ByteStream, Call, Handler, StreamReply } from './bus';
import { deadlineExceeded, unavailable } from './bus-errors';
import { cancelStream, passThrough } from './byte-stream';
import type { BusLogger } from './logger';
import type { Outcome, RequestEnvelope } from './transport';

/** How long aborted handlers get to notice. */
const HEED_MS = 250;

/** Runs handlers the same way whatever transport brought the request: access, context, deadline, errors, drain. */
export class Dispatcher {
  private readonly running = new Set<Run>();

  constructor(private readonly logger: BusLogger) {}

  async dispatch(
    operationId: OperationId,
    handler: Handler,
    envelope: RequestEnvelope,
    upload?: ByteStream,
    abandoned?: AbortSignal,
  ): Promise<Outcome> {
    const run = new Run(operationId, handler, envelope, this.logger);
    const leave = (): void => run.abort(unavailable('The caller has gone'));
    this.running.add(run);
    if (abandoned?.aborted) leave();
    abandoned?.addEventListener('abort', leave, { once: true });
    void run.finished.then(() => {
      this.running.delete(run);
      abandoned?.removeEventListener('abort', leave);
    });
    return run.outcome(upload);
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    await Promise.all([...this.running].map((run) => run.finished));
  }

  /** Aborts the signal of everything that still runs, and answers for whatever does not heed it. */
  async abort(): Promise<void> {
    const reason = unavailable('The service is shutting down');
    for (const run of this.running) run.abort(reason);
    await delay(HEED_MS);
    for (const run of this.running) run.abandon();
  }
}

/** One request being served, from its arrival to its reply, or to the last chunk of its streamed reply. */
class Run {
  private controller: AbortController | undefined;
  private reason: AppError | undefined;
  private context: RequestContext | undefined;
  readonly finished: Promise<void>;
  private finish!: () => void;

  constructor(
    private readonly operationId: OperationId,
    private readonly handler: Handler,
    private readonly envelope: RequestEnvelope,
    private readonly logger: BusLogger,
  ) {
    this.finished = new Promise((resolve) => (this.finish = resolve));
  }

  /** Aborted when the deadline has passed or the caller has gone; made when a handler first asks for it. */
  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      setMaxListeners(0, this.controller.signal);
      if (this.reason) this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  abort(reason: AppError): void {
    this.reason ??= reason;
    this.controller?.abort(reason);
  }

  /** Ends the wait for the handler: its caller must not be left without an answer. */
  abandon(): void {
    this.context?.fail?.(deadlineExceeded());
  }

  async outcome(upload?: ByteStream): Promise<Outcome> {
    const { envelope } = this;
    const deadline = setTimeout(() => this.abort(deadlineExceeded()), envelope.timeoutMs).unref();
    const context = (this.context = this.newContext());
    const call = { ...envelope.call, ...(upload && { upload }) } as Call<OperationId>;
    try {
      const result = await runInContext(context, () => unlessFailed(() => this.handle(call)));
      if (isStreamReply(result)) return this.reason ? this.unread(result, this.reason) : this.streamed(result, context);
      this.finish();
      return { kind: 'reply', reply: result, ...(context.replayed && { replayed: true }) };
    } catch (thrown) {
      this.finish();
      return { kind: 'error', error: this.publicError(thrown).toWire() };
    } finally {
      clearTimeout(deadline);
      if (upload) void cancelStream(upload);
    }
  }

  private handle(call: Call<OperationId>): ReturnType<Handler> {
    authorize(call.principal, operation(this.operationId), call.path);
    failpoint(`call.${this.operationId}`);
    return this.handler(call);
  }

  private newContext(): RequestContext {
    const { operationId } = this;
    const { requestId, traceparent, clientIp, origin, idempotency, call } = this.envelope;
    const audit = auditedAction(operation(operationId), call);
    const signal = (): AbortSignal => this.signal;
    return {
      requestId,
      operationId,
      get signal() {
        return signal();
      },
      ...(traceparent !== undefined && { traceparent }),
      ...(clientIp !== undefined && { clientIp }),
      ...(origin !== undefined && { origin }),
      ...(idempotency && { idempotency }),
      ...(audit && { audit }),
    };
  }

  /** The caller has given up, so that nobody will read it. */
  private unread({ stream }: StreamReply, reason: AppError): Outcome {
    void cancelStream(stream).then(() => this.finish());
    return { kind: 'error', error: reason.toWire() };
  }

  private streamed({ headers, stream }: StreamReply, context: RequestContext): Outcome {
    context.fail = (thrown) => this.abort(AppError.from(thrown));
    const watched = passThrough(stream, {
      step: (work) => runInContext(context, work),
      failure: (thrown) => this.publicError(thrown),
      signal: this.signal,
      ended: (how) => {
        if (how === 'cancelled') this.abort(unavailable('The reader of the stream has gone'));
        this.finish();
      },
    });
    return { kind: 'stream', headers, stream: watched };
  }

  /** What the caller may know of a failure; the rest goes to the log. */
  private publicError(thrown: unknown): AppError {
    const { operationId } = this;
    const { requestId } = this.envelope;
    if (thrown instanceof AppError) {
      // The bus carries no causes, and whoever answers the client has none to log.
      const told = thrown.status >= 500 && thrown.cause !== undefined;
      if (told) this.logger.warn({ err: thrown.cause, operationId, requestId, code: thrown.code }, thrown.message);
      return thrown;
    }
    if (this.reason) return this.reason;
    this.logger.error({ err: thrown, operationId, requestId }, 'A handler crashed');
    return AppError.from(thrown);
  }
}

const isStreamReply = (result: unknown): result is StreamReply =>
  typeof result === 'object' && result !== null && 'stream' in result && isAsyncIterable(result.stream);

const isAsyncIterable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
