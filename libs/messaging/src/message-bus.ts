import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Principal } from '@plinth/auth';
import {
  deploymentIdOf,
  operation,
  type BodyOf,
  type OperationId,
  type PathOf,
  type QueryOf,
  type ReplyOf,
} from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { markReplayed, requestContext, type IdempotencyClaim, type RequestContext } from '@plinth/observability';
import { unlessAborted } from '@plinth/streams';
import type {
  AskedOperationId,
  Bus,
  Call,
  CallOptions,
  Handler,
  Notice,
  ServeOptions,
  StreamReply,
  Workers,
} from './bus';
import { deadlineExceeded, unavailable } from './bus-errors';
import { Dispatcher } from './dispatcher';
import type { BusLogger } from './logger';
import { Owners } from './owners';
import { ownerSubject, requestSubject } from './subjects';
import { NoResponderError, type Outcome, type RequestEnvelope, type Responder, type Transport } from './transport';
import { WorkerLease } from './worker-lease';

const DEFAULT_GRACE_MS = 10_000;
/** Between two attempts at a call that was not begun, in milliseconds: a worker is back with its next heartbeat. */
const ASK_AGAIN_MS = 200;
/** How long the answers of aborted handlers get to be on their way before the bus leaves. */
const ABORT_ALLOWANCE_MS = 500;

const TAKEOVER = 'the deployments of a worker that is gone belong to the others, this one among them';

export interface MessageBusOptions {
  /** Called when a deployment turns out to have another owner than when it was last called. */
  onOwnerMove?: (() => void) | undefined;
}

/** The bus over any transport: who is asked, in which context, for how long, and what a failure means. */
export class MessageBus implements Bus {
  private readonly dispatcher: Dispatcher;
  private readonly owners: Owners;
  private readonly withdrawals: (() => Promise<void>)[] = [];
  private lease: WorkerLease | undefined;
  private closing: Promise<void> | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly logger: BusLogger,
    { onOwnerMove }: MessageBusOptions = {},
  ) {
    this.dispatcher = new Dispatcher(logger);
    this.owners = new Owners(transport, { onMove: onOwnerMove, onGone: (...gone) => this.succeed(...gone) });
  }

  async call<Id extends OperationId>(operationId: Id, call: Call<Id>, options?: CallOptions): Promise<ReplyOf<Id>> {
    return (await this.replyTo(operationId, call, options)) as ReplyOf<Id>;
  }

  async callForJson<Id extends OperationId>(
    operationId: Id,
    call: Call<Id>,
    options?: CallOptions,
  ): Promise<string | undefined> {
    return (await this.replyTo(operationId, call, options, true)) as string | undefined;
  }

  ask<Id extends AskedOperationId>(
    operationId: Id,
    principal: Principal,
    body: BodyOf<Id>,
    options?: CallOptions,
  ): Promise<ReplyOf<Id>> {
    return this.call(operationId, { principal, path: {} as PathOf<Id>, query: {} as QueryOf<Id>, body }, options);
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
      const { service, access } = operation(operationId);
      services.add(service);
      this.respond(requestSubject(service, operationId), operationId, handler);
      if (workerId !== undefined && access.scope === 'deployment') {
        this.respond(ownerSubject(service, workerId, operationId), operationId, handler);
      }
    }
    await this.transport.flush();
    if (workerId !== undefined) this.lease = new WorkerLease(this.transport, services, workerId, this.logger);
  }

  publish({ topic, payload }: Notice): void {
    this.transport.publish(topic, payload);
  }

  subscribe(topic: string, handler: (payload: Record<string, unknown>) => void): () => void {
    return this.transport.subscribe(topic, handler);
  }

  workersOf(service: string): Workers {
    return {
      isAlive: (workerId) => this.owners.isAlive(service, workerId),
      ownerOf: (deploymentId) => this.owners.ownerOf(service, deploymentId),
    };
  }

  isConnected(): boolean {
    return !this.closing && this.transport.isConnected();
  }

  close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    this.closing ??= this.leave(graceMs);
    return this.closing;
  }

  /** The other workers of a service share what one of them owned. */
  private succeed(service: string, workerId: string, how: 'silent' | 'leaving'): void {
    const own = this.lease?.workerId;
    if (own === undefined || !this.lease?.isOf(service) || own === workerId) return;
    // Who does not even hear itself has lost the bus, and takes over nothing.
    if (this.owners.isFresh(service, own)) this.logger.warn({ workerId: own, from: workerId, how }, TAKEOVER);
  }

  private async leave(graceMs: number): Promise<void> {
    this.lease?.leave();
    const answered = Promise.all(this.withdrawals.map((withdraw) => withdraw())).then(() => this.dispatcher.idle());
    if (!(await settlesWithin(answered, graceMs))) {
      await this.dispatcher.abort();
      await settlesWithin(answered, ABORT_ALLOWANCE_MS);
    }
    this.lease?.end();
    this.owners.close();
    await this.transport.close();
  }

  private respond(subject: string, operationId: OperationId, handler: Handler): void {
    const responder: Responder = async (envelope, upload, abandoned) => {
      if (this.lease?.holds() ?? true) {
        return this.dispatcher.dispatch(operationId, handler, envelope, upload, abandoned);
      }
      // The upload stays as it is: it may be offered again.
      return { kind: 'error', error: unavailable('The worker was out of reach').toWire(), notBegun: true };
    };
    this.withdrawals.push(this.transport.respond(subject, operation(operationId).service, responder));
  }

  private async replyTo(
    operationId: OperationId,
    call: Call<OperationId>,
    options?: CallOptions,
    asJson = false,
  ): Promise<unknown> {
    const outcome = await this.request(operationId, call, options, asJson);
    if (outcome.kind === 'reply') {
      if (outcome.replayed) markReplayed();
      return outcome.reply;
    }
    await outcome.stream[Symbol.asyncIterator]().return?.();
    throw new AppError('service.internal', 'Something went wrong on our side', {
      cause: new Error(`${operationId} answers with a stream: use callForStream`),
    });
  }

  /** Asks until somebody takes the request: a worker that has stood still takes none before it has caught up. */
  private async request(
    operationId: OperationId,
    call: Call<OperationId>,
    options: CallOptions = {},
    asJson = false,
  ): Promise<Exclude<Outcome, { kind: 'error' }>> {
    const deadline = performance.now() + (options.timeoutMs ?? operation(operationId).timeoutMs);
    for (;;) {
      const outcome = await this.askOnce(operationId, call, { ...options, asJson }, deadline);
      if (outcome.kind !== 'error') return outcome;
      if (!outcome.notBegun || !(await mayAskAgain(deadline))) throw AppError.fromWire(outcome.error);
    }
  }

  /** Asks the owner of the deployment, then the next one when it was not there, and any worker when none is known. */
  private async askOnce(
    operationId: OperationId,
    call: Call<OperationId>,
    options: CallOptions & { asJson: boolean },
    deadline: number,
  ): Promise<Outcome> {
    const description = operation(operationId);
    const { service } = description;
    const deploymentId = this.owners.isOwned(service) ? deploymentIdOf(description, call.path) : undefined;
    const key = deploymentId?.toString();

    for (let attempt = 0; attempt < 2; attempt++) {
      const owner = key === undefined ? undefined : this.owners.ownerOf(service, key);
      try {
        const envelope = envelopeOf(operationId, call, timeLeft(deadline), options);
        const outcome = this.send(this.subjectFor(service, operationId, owner), call, envelope, options.asJson);
        const silence = owner === undefined ? undefined : this.owners.silenceOf(service, owner);
        return await unlessAborted(outcome, silence);
      } catch (thrown) {
        if (!(thrown instanceof NoResponderError)) throw thrown;
        if (owner === undefined) break;
        this.owners.drop(service, owner);
      }
    }
    throw unavailable();
  }

  private subjectFor(service: string, operationId: string, owner: string | undefined): string {
    return owner === undefined ? requestSubject(service, operationId) : ownerSubject(service, owner, operationId);
  }

  private async send(
    subject: string,
    { upload }: Call<OperationId>,
    envelope: RequestEnvelope,
    asJson: boolean,
  ): Promise<Outcome> {
    const signal = requestContext()?.signal;
    return this.transport.request(subject, envelope, { asJson, ...(upload && { upload }), ...(signal && { signal }) });
  }
}

/** What crosses the bus with a call: the context of the request on whose behalf it is made goes along. */
function envelopeOf(
  operationId: OperationId,
  { principal, path, query, body, headers, rawBody }: Call<OperationId>,
  timeoutMs: number,
  options: CallOptions,
): RequestEnvelope {
  const context = requestContext();
  const idempotency = claimFor(operationId, context, options);
  return {
    requestId: context?.requestId ?? randomUUID(),
    timeoutMs,
    call: { principal, path, query, body, ...(headers && { headers }), ...(rawBody !== undefined && { rawBody }) },
    ...(context?.traceparent !== undefined && { traceparent: context.traceparent }),
    ...(context?.clientIp !== undefined && { clientIp: context.clientIp }),
    ...(context?.origin !== undefined && { origin: context.origin }),
    ...(idempotency && { idempotency }),
  };
}

function claimFor(
  operationId: OperationId,
  context: RequestContext | undefined,
  { passesClaimOn }: CallOptions,
): IdempotencyClaim | undefined {
  const claim = context?.idempotency;
  if (claim && passesClaimOn) return { ...claim, operationId };
  return claim?.operationId === operationId ? claim : undefined;
}

/** @throws AppError `service.deadline_exceeded` (504) when there is none. */
function timeLeft(deadline: number): number {
  const milliseconds = Math.ceil(deadline - performance.now());
  if (milliseconds <= 0) throw deadlineExceeded();
  return milliseconds;
}

/** Waits for the time of the next attempt. False when that is beyond the deadline, or the caller has gone. */
async function mayAskAgain(deadline: number): Promise<boolean> {
  if (deadline - performance.now() <= ASK_AGAIN_MS) return false;
  const signal = requestContext()?.signal;
  return delay(ASK_AGAIN_MS, true, signal && { signal }).catch(() => false);
}

/** Whether the promise settles in time; a rejection counts. */
async function settlesWithin(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), milliseconds)));
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, timeUp]).finally(() => clearTimeout(timer));
}
