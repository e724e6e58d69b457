import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { OperationId } from '@plinth/contract';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Bus, Handler, ServeOptions } from './bus';

/** Handlers run to their end on a closing bus for this long unless the application says otherwise. */
const DEFAULT_GRACE_MS = 10_000;

export interface BusStrategyOptions extends ServeOptions {
  /** Milliseconds that running calls get to finish when the application closes. */
  graceMs?: number;
}

/**
 * Lets Nest serve a bus: `NestFactory.createMicroservice(Module, { strategy: new BusStrategy(bus) })`.
 * Closing the application closes the bus.
 */
export class BusStrategy extends Server implements CustomTransportStrategy {
  constructor(
    private readonly bus: Bus,
    private readonly options: BusStrategyOptions = {},
  ) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    const handlers = new Map<OperationId, Handler>();
    for (const [pattern, handler] of this.messageHandlers) {
      handlers.set(pattern as OperationId, awaitReply(handler));
    }
    const { workerId } = this.options;
    this.bus.serve(handlers, workerId === undefined ? {} : { workerId }).then(() => callback(), callback);
  }

  close(): Promise<void> {
    return this.bus.close(this.options.graceMs ?? DEFAULT_GRACE_MS);
  }

  on(): void {}

  unwrap<T>(): T {
    return this.bus as T;
  }
}

/** Nest answers with a value, or with an observable once an interceptor or an error is involved. */
const awaitReply =
  (handler: MessageHandler): Handler =>
  async (call) => {
    const result: unknown = await handler(call);
    return (isObservable(result) ? await lastValueFrom(result) : result) as Awaited<ReturnType<Handler>>;
  };
