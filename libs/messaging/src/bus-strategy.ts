import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { operations, type OperationId, type ServiceName } from '@plinth/contract';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Bus, Handler, ServeOptions } from './bus';

/** Handlers run to their end on a closing bus for this long unless the application says otherwise. */
const DEFAULT_GRACE_MS = 10_000;

export interface BusStrategyOptions extends ServeOptions {
  /** Whose operations the application serves: all of them, or it does not start. */
  service: ServiceName;
  /** Milliseconds that running calls get to finish when the application closes. */
  graceMs?: number;
}

/**
 * Lets Nest serve a bus: `NestFactory.createMicroservice(Module, { strategy: new BusStrategy(bus, { service }) })`.
 * Closing the application closes the bus. Listening fails unless each operation of the service has one handler.
 */
export class BusStrategy extends Server implements CustomTransportStrategy {
  constructor(
    private readonly bus: Bus,
    private readonly options: BusStrategyOptions,
  ) {
    super();
  }

  /** @throws Error for the second handler of an operation, which would take the place of the first. */
  override addHandler(pattern: string, ...rest: [MessageHandler, boolean?, Record<string, unknown>?]): void {
    if (this.messageHandlers.has(pattern)) throw new Error(`${pattern} has two handlers`);
    super.addHandler(pattern, ...rest);
  }

  listen(callback: (error?: unknown) => void): void {
    this.serve().then(() => callback(), callback);
  }

  close(): Promise<void> {
    return this.bus.close(this.options.graceMs ?? DEFAULT_GRACE_MS);
  }

  on(): void {}

  unwrap<T>(): T {
    return this.bus as T;
  }

  private async serve(): Promise<void> {
    const { service, workerId } = this.options;
    requireEach(service, this.messageHandlers);
    const handlers = new Map<OperationId, Handler>();
    for (const [pattern, handler] of this.messageHandlers) handlers.set(pattern as OperationId, awaitReply(handler));
    await this.bus.serve(handlers, workerId === undefined ? {} : { workerId });
  }
}

/** @throws Error when an operation of the service has no handler, or a handler is for another's. */
function requireEach(service: ServiceName, handlers: ReadonlyMap<string, unknown>): void {
  const own = operations.filter((each) => each.service === service).map(({ operationId }): string => operationId);
  const missing = own.filter((operationId) => !handlers.has(operationId));
  if (missing.length > 0) throw new Error(`${service} does not serve ${missing.join(', ')}`);
  const foreign = [...handlers.keys()].filter((pattern) => !own.includes(pattern));
  if (foreign.length > 0) throw new Error(`${service} does not own ${foreign.join(', ')}`);
}

/** Nest answers with a value, or with an observable once an interceptor or an error is involved. */
const awaitReply =
  (handler: MessageHandler): Handler =>
  async (call) => {
    const result: unknown = await handler(call);
    return (isObservable(result) ? await lastValueFrom(result) : result) as Awaited<ReturnType<Handler>>;
  };
