import { isLasting } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { ByteStream } from './bus';
import { unavailable } from './bus-errors';
import { cancelStream, passThrough } from './byte-stream';
import type { BusLogger } from './logger';
import { Patience } from './patience';
import {
  NoResponderError,
  type Outcome,
  type RequestEnvelope,
  type RequestOptions,
  type Responder,
  type Transport,
} from './transport';

type NoticeHandler = (payload: Record<string, unknown>) => void;

/** Where the in-process buses of one process meet; the counterpart of a NATS server. */
export class InProcessHub {
  private readonly responders = new Map<string, Responder[]>();
  private readonly subscribers = new Map<string, Set<NoticeHandler>>();

  /** The responder whose turn it is. */
  next(subject: string): Responder | undefined {
    const ring = this.responders.get(subject);
    const responder = ring?.shift();
    if (ring && responder) ring.push(responder);
    return responder;
  }

  add(subject: string, responder: Responder): () => void {
    const ring = this.responders.get(subject) ?? [];
    this.responders.set(subject, ring);
    ring.push(responder);
    return () => void ring.splice(ring.indexOf(responder), 1);
  }

  subscribersOf(topic: string): Iterable<NoticeHandler> {
    return this.subscribers.get(topic) ?? [];
  }

  subscribe(topic: string, handler: NoticeHandler): () => void {
    const handlers = this.subscribers.get(topic) ?? new Set();
    this.subscribers.set(topic, handlers);
    handlers.add(handler);
    return () => void handlers.delete(handler);
  }
}

/**
 * Moves messages inside one process, through the same JSON that NATS would carry: nothing that can change leaks by
 * reference, and a value that could not cross the network cannot cross here.
 */
export class InProcessTransport implements Transport {
  private connected = true;
  private readonly endings = new Set<() => void>();

  constructor(
    private readonly hub: InProcessHub,
    private readonly logger: BusLogger,
  ) {}

  async request(subject: string, envelope: RequestEnvelope, options: RequestOptions): Promise<Outcome> {
    const { upload, signal, asJson } = options;
    if (!this.connected) throw unavailable();
    const responder = this.hub.next(subject);
    if (!responder) throw new NoResponderError(subject);
    const patience = new Patience(envelope.timeoutMs, signal);
    const arrived = upload && this.carry(upload, patience.signal);
    const answered = responder(arrivalOf(envelope), arrived, signal);
    try {
      return this.copy(await patience.wait(answered), asJson);
    } catch (error) {
      void answered.then((late) => (late.kind === 'stream' ? cancelStream(late.stream) : undefined));
      throw error;
    } finally {
      patience.end();
    }
  }

  respond(subject: string, _queue: string, responder: Responder): () => Promise<void> {
    const remove = this.hub.add(subject, responder);
    return () => Promise.resolve(remove());
  }

  publish(topic: string, payload: Record<string, unknown>): void {
    if (!this.connected) return;
    try {
      const text = JSON.stringify(payload);
      for (const handler of this.hub.subscribersOf(topic)) queueMicrotask(() => this.deliver(topic, handler, text));
    } catch (err) {
      this.logger.warn({ err, topic }, 'A notice could not be sent');
    }
  }

  subscribe(topic: string, handler: NoticeHandler): () => void {
    const end = this.hub.subscribe(topic, handler);
    this.endings.add(end);
    return () => {
      this.endings.delete(end);
      end();
    };
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  isConnected(): boolean {
    return this.connected;
  }

  close(): Promise<void> {
    this.connected = false;
    for (const end of this.endings) end();
    return Promise.resolve();
  }

  private deliver(topic: string, handler: NoticeHandler, text: string): void {
    try {
      handler(JSON.parse(text) as Record<string, unknown>);
    } catch (err) {
      this.logger.error({ err, topic }, 'A notice handler crashed');
    }
  }

  private copy(outcome: Outcome, asJson = false): Outcome {
    if (outcome.kind === 'stream') {
      return { kind: 'stream', headers: cloned(outcome.headers), stream: this.carry(outcome.stream) };
    }
    try {
      if (asJson && outcome.kind === 'reply') return { ...outcome, reply: JSON.stringify(outcome.reply) };
      return cloned(outcome);
    } catch (err) {
      this.logger.warn({ err }, 'A reply could not be encoded');
      return { kind: 'error', error: AppError.from(err).toWire() };
    }
  }

  private carry(stream: ByteStream, signal?: AbortSignal): ByteStream {
    return passThrough(stream, {
      chunk: (bytes) => Uint8Array.from(bytes),
      failure: (thrown) => this.asIfFromWire(thrown),
      ...(signal && { signal }),
    });
  }

  private asIfFromWire(thrown: unknown): AppError {
    if (!(thrown instanceof AppError)) this.logger.error({ err: thrown }, 'A byte stream failed');
    return AppError.fromWire(AppError.from(thrown).toWire());
  }
}

/** The copy that arrives. A principal that cannot change is handed over as it is. */
function arrivalOf(envelope: RequestEnvelope): RequestEnvelope {
  const { principal } = envelope.call;
  if (!isLasting(principal)) return cloned(envelope);
  const arrived = cloned({ ...envelope, call: { ...envelope.call, principal: undefined } });
  return { ...arrived, call: { ...arrived.call, principal } };
}

const cloned = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
