import type { Principal } from '@plinth/auth';
import { operation, validateReply, type OperationId, type ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Bus, Call, StreamReply } from '@plinth/messaging';
import { requestContext, runInContext, type RequestContext } from '@plinth/observability';

/** What a test says of a call; the rest is empty. */
export interface BusRequest {
  path?: object;
  query?: object;
  body?: unknown;
  headers?: object;
  upload?: AsyncIterable<Uint8Array>;
}

/** Calls operations as the gateway does, once it has let a request in. */
export class BusCaller {
  /** @param context of all calls, beside that in which they are made */
  constructor(
    private readonly bus: Bus,
    private readonly context: Partial<RequestContext> = {},
  ) {}

  /** Holds the reply against the contract. */
  async call<Id extends OperationId>(
    principal: Principal,
    operationId: Id,
    request?: BusRequest,
  ): Promise<ReplyOf<Id>> {
    const reply = await this.send(principal, operationId, request);
    expect(validateReply(operationId, statusOf(operationId, reply), reply)).toEqual([]);
    return reply;
  }

  stream(principal: Principal, operationId: OperationId, request?: BusRequest): Promise<StreamReply> {
    return this.inContext(() => this.bus.callForStream(operationId, callOf(principal, request)));
  }

  /** What a call is refused with. */
  async error(principal: Principal, operationId: OperationId, request?: BusRequest): Promise<AppError> {
    const isStream = operation(operationId).stream === 'response';
    const sent: Promise<unknown> = isStream
      ? this.stream(principal, operationId, request)
      : this.send(principal, operationId, request);
    const error = await sent.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof AppError)) throw new Error(`${operationId} was not refused`, { cause: error });
    return error;
  }

  /** Status and code of a call that is refused. */
  async refusal(
    principal: Principal,
    operationId: OperationId,
    request?: BusRequest,
  ): Promise<{ status: number; code: string }> {
    const { status, code } = await this.error(principal, operationId, request);
    return { status, code };
  }

  /** Every notice with the topic from now on. */
  notices(topic: string): Record<string, unknown>[] {
    const received: Record<string, unknown>[] = [];
    this.bus.subscribe(topic, (payload) => received.push(payload));
    return received;
  }

  private send<Id extends OperationId>(principal: Principal, operationId: Id, request?: BusRequest) {
    return this.inContext(() => this.bus.call(operationId, callOf<Id>(principal, request)));
  }

  private inContext<T>(work: () => T): T {
    return runInContext({ requestId: 'test', ...this.context, ...requestContext() }, work);
  }
}

const callOf = <Id extends OperationId>(principal: Principal, request: BusRequest = {}): Call<Id> =>
  ({ principal, path: {}, query: {}, ...request }) as unknown as Call<Id>;

/** The one operation with two: a notification gets no answer. */
const statusOf = (operationId: OperationId, reply: unknown): number =>
  operationId === 'callMcp' && reply === undefined ? 202 : operation(operationId).successStatus;
