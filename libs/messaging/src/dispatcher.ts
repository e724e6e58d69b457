import { AppError } from '@plinth/errors';
import { operation, type OperationId } from '@plinth/contract';
import { runInContext, type RequestContext } from '@plinth/observability';
import { auditedAction } from './audit-trail';
import type { ByteStream, Call, Handler, StreamReply } from './bus';
import { deadlineExceeded, unavailable } from './bus-errors';
import { cancelStream, passThrough } from './byte-stream';
import type { BusLogger } from './logger';
import type { Outcome, RequestEnvelope } from './transport';

/** Runs handlers the same way whatever transport brought the request: context, deadline, errors, drain. */
export class Dispatcher {
  private readonly running = new Map<AbortController, Promise<void>>();

  constructor(private readonly logger: BusLogger) {}

  async dispatch(
    operationId: OperationId,
    handler: Handler,
    envelope: RequestEnvelope,
    upload?: ByteStream,
  ): Promise<Outcome> {
    const run = new Run(operationId, handler, envelope, this.logger);
    this.running.set(run.controller, run.finished);
    void run.finished.then(() => this.running.delete(run.controller));
    return run.outcome(upload);
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  /** Aborts the signal of everything that still runs. */
  abort(): void {
    for (const controller of this.running.keys()) controller.abort(unavailable('The service is shutting down'));
  }
}

/** One request being served, from its arrival to its reply, or to the last chunk of its streamed reply. */
class Run {
  readonly controller = new AbortController();
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

  async outcome(upload?: ByteStream): Promise<Outcome> {
    const { envelope } = this;
    const deadline = setTimeout(() => this.controller.abort(deadlineExceeded()), envelope.timeoutMs).unref();
    const context = this.context();
    const call = { ...envelope.call, ...(upload && { upload }) } as Call<OperationId>;
    try {
      const result = await runInContext(context, () => this.handler(call));
      if (isStreamReply(result)) return this.streamed(result, context);
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

  private context(): RequestContext {
    const { operationId } = this;
    const { requestId, traceparent, clientIp, idempotency, call } = this.envelope;
    const audit = auditedAction(operation(operationId), call);
    return {
      requestId,
      operationId,
      signal: this.controller.signal,
      ...(traceparent !== undefined && { traceparent }),
      ...(clientIp !== undefined && { clientIp }),
      ...(idempotency && { idempotency }),
      ...(audit && { audit }),
    };
  }

  private streamed({ headers, stream }: StreamReply, context: RequestContext): Outcome {
    const watched = passThrough(stream, {
      step: (work) => runInContext(context, work),
      failure: (thrown) => this.publicError(thrown),
      signal: this.controller.signal,
      ended: (how) => {
        if (how === 'cancelled') this.controller.abort(unavailable('The reader of the stream has gone'));
        this.finish();
      },
    });
    return { kind: 'stream', headers, stream: watched };
  }

  /** What the caller may know of a failure; the rest goes to the log. */
  private publicError(thrown: unknown): AppError {
    if (thrown instanceof AppError) return thrown;
    const { aborted, reason } = this.controller.signal;
    if (aborted && reason instanceof AppError) return reason;
    this.logger.error(
      { err: thrown, operationId: this.operationId, requestId: this.envelope.requestId },
      'A handler crashed',
    );
    return AppError.from(thrown);
  }
}

const isStreamReply = (result: unknown): result is StreamReply =>
  typeof result === 'object' && result !== null && 'stream' in result && isAsyncIterable(result.stream);

const isAsyncIterable = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
