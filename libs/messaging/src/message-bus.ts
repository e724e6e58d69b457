import { randomUUID } from 'node:crypto';
import { operation, type OperationId, type ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { requestContext } from '@plinth/observability';
import type { Bus, Call, CallOptions, Handler, Notice, ServeOptions, StreamReply } from './bus';
import { deadlineExceeded, unavailable } from './bus-errors';
import { Dispatcher } from './dispatcher';
import type { BusLogger } from './logger';
import { announceWorker, Owners } from './owners';
import { ownerSubject, requestSubject } from './subjects';
import { NoResponderError, type Outcome, type RequestEnvelope, type Transport } from './transport';
import { propertyOf } from './audit-trail';

/** The service whose operations on a deployment go to the worker that owns the deployment. */
const OWNED_SERVICE = 'build-worker';
const DEFAULT_GRACE_MS = 10_000;

/** The bus over any transport: who is asked, in which context, for how long, and what a failure means. */
export class MessageBus implements Bus {
  private readonly dispatcher: Dispatcher;
  private readonly owners: Owners;
  private readonly withdrawals: (() => Promise<void>)[] = [];
  private readonly departures: (() => void)[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    private readonly transport: Transport,
    logger: BusLogger,
  ) {
    this.dispatcher = new Dispatcher(logger);
    this.owners = new Owners(transport, OWNED_SERVICE);
  }

  async call<Id extends OperationId>(operationId: Id, call: Call<Id>, options?: CallOptions): Promise<ReplyOf<Id>> {
    const outcome = await this.request(operationId, call, options);
    if (outcome.kind === 'reply') return outcome.reply as ReplyOf<Id>;
    await outcome.stream[Symbol.asyncIterator]().return?.();
    throw new AppError('service.internal', 'Something went wrong on our side', {
      cause: new Error(`${operationId} answers with a stream: use callForStream`),
    });
  }

  async callForStream<Id extends OperationId>(
    operationId: Id,
    call: Call<Id>,
    options?: CallOptions,
  ): Promise<StreamReply> {
    const outcome = await this.request(operationId, call, options);
    if (outcome.kind === 'stream') return { headers: outcome.headers, stream: outcome.stream };
    throw new AppError('service.internal', 'Something went wrong on our side', {
      cause: new Error(`${operationId} does not answer with a stream: use call`),
    });
  }

  async serve(handlers: ReadonlyMap<OperationId, Handler>, { workerId }: ServeOptions = {}): Promise<void> {
    const services = new Set<string>();
    for (const [operationId, handler] of handlers) {
      const { service, deploymentParameter } = operation(operationId);
      services.add(service);
      this.respond(requestSubject(service, operationId), service, handler);
      if (workerId !== undefined && deploymentParameter !== undefined) {
        this.respond(ownerSubject(service, workerId, operationId), service, handler);
      }
    }
    await this.transport.flush();
    if (workerId === undefined) return;
    for (const service of services) this.departures.push(announceWorker(this.transport, service, workerId));
  }

  publish({ topic, payload }: Notice): void {
    this.transport.publish(topic, payload);
  }

  subscribe(topic: string, handler: (payload: Record<string, unknown>) => void): () => void {
    return this.transport.subscribe(topic, handler);
  }

  isConnected(): boolean {
    return !this.closing && this.transport.isConnected();
  }

  close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.closing ??= this.leave(graceMs);
    return this.closing;
  }

  private async leave(graceMs: number): Promise<void> {
    for (const depart of this.departures) depart();
    await Promise.all(this.withdrawals.map((withdraw) => withdraw()));
    await this.dispatcher.drain(graceMs);
    this.owners.close();
    await this.transport.close();
  }

  private respond(subject: string, queue: string, handler: Handler): void {
    this.withdrawals.push(
      this.transport.respond(subject, queue, (envelope, upload) => this.dispatcher.dispatch(handler, envelope, upload)),
    );
  }

  /** Asks the owner of the deployment, then the next one when it was not there, and any worker when none is known. */
  private async request(
    operationId: OperationId,
    call: Call<OperationId>,
    options: CallOptions = {},
  ): Promise<Exclude<Outcome, { kind: 'error' }>> {
    const description = operation(operationId);
    const { service, deploymentParameter } = description;
    const deadline = performance.now() + (options.timeoutMs ?? description.timeoutMs);
    const owned = service === OWNED_SERVICE && deploymentParameter !== undefined;
    const key = owned ? String(propertyOf(call.path, deploymentParameter)) : undefined;

    for (let attempt = 0; attempt < 2; attempt++) {
      const owner = key === undefined ? undefined : this.owners.ownerOf(key);
      try {
        return settled(await this.send(this.subjectFor(service, operationId, owner), operationId, call, deadline));
      } catch (thrown) {
        if (!(thrown instanceof NoResponderError)) throw thrown;
        if (owner === undefined) break;
        this.owners.drop(owner);
      }
    }
    throw unavailable();
  }

  private subjectFor(service: string, operationId: string, owner: string | undefined): string {
    return owner === undefined ? requestSubject(service, operationId) : ownerSubject(service, owner, operationId);
  }

  private send(
    subject: string,
    operationId: OperationId,
    { upload, ...call }: Call<OperationId>,
    deadline: number,
  ): Promise<Outcome> {
    const timeoutMs = Math.ceil(deadline - performance.now());
    if (timeoutMs <= 0) throw deadlineExceeded();
    const context = requestContext();
    const envelope: RequestEnvelope = {
      operationId,
      requestId: context?.requestId ?? randomUUID(),
      timeoutMs,
      call,
      ...(context?.traceparent !== undefined && { traceparent: context.traceparent }),
      ...(context?.clientIp !== undefined && { clientIp: context.clientIp }),
      ...(context?.idempotency && { idempotency: context.idempotency }),
    };
    return this.transport.request(subject, envelope, {
      ...(upload && { upload }),
      ...(context?.signal && { signal: context.signal }),
    });
  }
}

function settled(outcome: Outcome): Exclude<Outcome, { kind: 'error' }> {
  if (outcome.kind === 'error') throw AppError.fromWire(outcome.error);
  return outcome;
}
