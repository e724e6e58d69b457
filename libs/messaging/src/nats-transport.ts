import { randomUUID } from 'node:crypto';
import { ErrorCode, Events, NatsError, type Msg, type NatsConnection } from 'nats';
import { AppError } from '@plinth/errors';
import { AbandonedCalls } from './abandoned-calls';
import type { AbsenceWatch } from './absence-watch';
import type { ByteStream } from './bus';
import { deadlineExceeded, unavailable } from './bus-errors';
import { passThrough } from './byte-stream';
import type { BusLogger } from './logger';
import {
  bodyStreamOf,
  callOf,
  decode,
  decodeRequest,
  encode,
  encodeRequestBody,
  MAX_MESSAGE_BYTES,
  requestHeaders,
  takesShortStreams,
  uploadStreamOf,
  type WireReply,
} from './nats-codec';
import { absenceWatch, connectAtLast, type NatsServers } from './nats-connection';
import { Patience } from './patience';
import { beginningOf } from './stream-beginning';
import { defaultStreamSettings, StreamExchange, type StreamOffer, type StreamSettings } from './stream-exchange';
import { noticeSubject, streamSubject } from './subjects';
import {
  NoResponderError,
  type Outcome,
  type RequestEnvelope,
  type RequestOptions,
  type Responder,
  type Transport,
} from './transport';

export interface NatsOptions extends NatsServers {
  logger: BusLogger;
  streams?: Partial<StreamSettings>;
}

const LEAVE_MS = 1_000;
/** A stream that is no longer, and there at once, travels in the reply: nobody has to ask for its first chunk. */
const SHORT_BYTES = 64 * 1024;

/** Moves messages over NATS, with the plain client: all replies arrive at one multiplexed inbox. */
export class NatsTransport implements Transport {
  private readonly streams: StreamExchange;
  private readonly abandoned: AbandonedCalls;
  /** Whoever waits for a reply over this connection. */
  private readonly waiting = new Set<Patience>();
  private connected = true;

  /** Connects, waiting for the server as long as it takes; afterwards it reconnects for ever. */
  static async connect(options: NatsOptions): Promise<NatsTransport> {
    const absence = absenceWatch(options);
    return new NatsTransport(await connectAtLast(options, absence), options, absence);
  }

  private constructor(
    private readonly connection: NatsConnection,
    private readonly options: NatsOptions,
    private readonly absence: AbsenceWatch,
  ) {
    const base = streamSubject(options.name, randomUUID());
    this.streams = new StreamExchange(base, (...frame) => this.send(...frame), {
      ...defaultStreamSettings,
      ...options.streams,
    });
    connection.subscribe(`${base}.*`, {
      callback: (_error, { subject, data, reply }) => this.streams.receive(subject, data, reply),
    });
    this.abandoned = new AbandonedCalls(connection, options.name, base);
    void this.followStatus();
  }

  async request(subject: string, envelope: RequestEnvelope, options: RequestOptions): Promise<Outcome> {
    const { upload, signal, asJson } = options;
    if (!this.isConnected()) throw unavailable();
    const encoded = encodeRequestBody(envelope);
    const body = encoded.length > MAX_MESSAGE_BYTES ? this.streams.offer(once(encoded)) : undefined;
    const uploadOffer = upload && this.streams.offer(untouchedUntilRead(upload));
    const patience = new Patience(envelope.timeoutMs, signal);
    const { call, sent, unwatch } = this.abandoned.watch(signal);
    this.waiting.add(patience);
    try {
      const headers = requestHeaders(envelope, {
        bodyStream: body?.address,
        uploadStream: uploadOffer?.address,
        call,
      });
      const reply = this.connection.request(subject, body ? undefined : encoded, {
        timeout: envelope.timeoutMs,
        headers,
      });
      sent();
      const { data } = await patience.wait(reply);
      const outcome = await this.readReply(data, patience);
      return asJson && outcome.kind === 'reply' ? { ...outcome, reply: JSON.stringify(outcome.reply) } : outcome;
    } catch (thrown) {
      throw requestFailure(thrown, subject);
    } finally {
      patience.end();
      unwatch();
      this.waiting.delete(patience);
      body?.withdraw(deadlineExceeded());
      uploadOffer?.withdraw(deadlineExceeded());
    }
  }

  respond(subject: string, queue: string, responder: Responder): () => Promise<void> {
    const answering = new Set<Promise<void>>();
    const subscription = this.connection.subscribe(subject, {
      queue,
      callback: (_error, message) => {
        const answered = this.answer(message, responder);
        answering.add(answered);
        void answered.then(() => answering.delete(answered));
      },
    });
    return async () => {
      if (!subscription.isClosed()) await subscription.drain();
      await Promise.all(answering);
    };
  }

  publish(topic: string, payload: Record<string, unknown>): void {
    try {
      this.send(noticeSubject(topic), encode(payload));
    } catch (err) {
      this.options.logger.warn({ err, topic }, 'A notice could not be sent');
    }
  }

  subscribe(topic: string, handler: (payload: Record<string, unknown>) => void): () => void {
    const subscription = this.connection.subscribe(noticeSubject(topic), {
      callback: (_error, { data }) => {
        try {
          handler(decode(data) as Record<string, unknown>);
        } catch (err) {
          this.options.logger.error({ err, topic }, 'A notice could not be handled');
        }
      },
    });
    return () => subscription.unsubscribe();
  }

  flush(): Promise<void> {
    return this.connection.flush();
  }

  isConnected(): boolean {
    return this.connected && !this.connection.isClosed();
  }

  async close(): Promise<void> {
    this.streams.close();
    const tooLong = new Promise((resolve) => setTimeout(resolve, LEAVE_MS).unref());
    if (this.isConnected()) await Promise.race([this.connection.flush(), tooLong]);
    this.absence.stop();
    await this.connection.close();
  }

  /** Answers one message, to the last chunk when the answer is a stream. Never rejects. */
  private async answer(message: Msg, responder: Responder): Promise<void> {
    try {
      // From its arrival on: that its caller has gone may come right behind it.
      const outcome = await this.abandoned.answer(callOf(message), async (signal) => {
        const envelope = await this.readRequest(message);
        const address = uploadStreamOf(message);
        return responder(envelope, address === undefined ? undefined : this.streams.accept(address), signal);
      });
      await this.reply(message, outcome);
    } catch (err) {
      this.options.logger.warn({ err, subject: message.subject }, 'A message could not be answered');
      await this.reply(message, { kind: 'error', error: AppError.from(err).toWire() });
    }
  }

  private async readRequest(message: Msg): Promise<RequestEnvelope> {
    const bodyStream = bodyStreamOf(message);
    return decodeRequest(
      message,
      bodyStream === undefined ? message.data : await collect(this.streams.accept(bodyStream)),
    );
  }

  private async reply(message: Msg, outcome: Outcome): Promise<void> {
    const { wire, offer } = await this.wireReply(outcome, takesShortStreams(message));
    if (!this.connection.isClosed()) message.respond(wire);
    await offer?.done;
  }

  private async wireReply(outcome: Outcome, takesShort: boolean): Promise<{ wire: Buffer; offer?: StreamOffer }> {
    if (outcome.kind === 'stream') {
      const { headers, stream } = outcome;
      const beginning = takesShort ? await beginningOf(stream, SHORT_BYTES) : { rest: stream };
      if ('whole' in beginning) return { wire: encode({ headers, content: beginning.whole.toString('base64') }) };
      const offer = this.streams.offer(beginning.rest);
      return { wire: encode({ headers, stream: offer.address } satisfies WireReply), offer };
    }
    const encoded = encode(wireForm(outcome));
    if (encoded.length <= MAX_MESSAGE_BYTES) return { wire: encoded };
    const offer = this.streams.offer(once(encoded));
    return { wire: encode({ body: offer.address } satisfies WireReply), offer };
  }

  private async readReply(data: Uint8Array, patience: Patience): Promise<Outcome> {
    const wire = decode(data) as WireReply;
    if ('body' in wire) {
      return this.readReply(await collect(this.streams.accept(wire.body), patience.signal), patience);
    }
    if ('content' in wire) {
      return { kind: 'stream', headers: wire.headers, stream: once(Buffer.from(wire.content, 'base64')) };
    }
    if ('stream' in wire) return { kind: 'stream', headers: wire.headers, stream: this.streams.accept(wire.stream) };
    if ('error' in wire) return { kind: 'error', error: wire.error, ...(wire.notBegun && { notBegun: true }) };
    return { kind: 'reply', reply: wire.reply, ...(wire.replayed && { replayed: true }) };
  }

  private send(subject: string, bytes: Uint8Array, replyTo?: string): void {
    if (this.connection.isClosed()) return;
    this.connection.publish(subject, bytes, replyTo === undefined ? {} : { reply: replyTo });
  }

  private async followStatus(): Promise<void> {
    for await (const { type, data } of this.connection.status()) {
      if (type === Events.Error) this.absence.reason = String(data);
      if (type !== Events.Disconnect && type !== Events.Reconnect) continue;
      this.connected = type === Events.Reconnect;
      // Replies are not kept for those who are away.
      if (!this.connected) for (const patience of this.waiting) patience.giveUp();
      if (this.connected) this.absence.end();
      else this.absence.begin(true);
    }
  }
}

/** Leaves the source alone when nobody accepts it, so that it can be offered again to another owner. */
async function* untouchedUntilRead(source: ByteStream): AsyncGenerator<Uint8Array> {
  yield* source;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function collect(stream: ByteStream, signal?: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of passThrough(stream, signal ? { signal } : {})) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function requestFailure(thrown: unknown, subject: string): unknown {
  if (!(thrown instanceof NatsError)) return thrown;
  if (thrown.code === ErrorCode.NoResponders) return new NoResponderError(subject);
  if (thrown.code === ErrorCode.Timeout) return deadlineExceeded();
  return new AppError('service.unavailable', unavailable().message, { cause: thrown });
}

const wireForm = (outcome: Exclude<Outcome, { kind: 'stream' }>): WireReply =>
  outcome.kind === 'error'
    ? { error: outcome.error, ...(outcome.notBegun && { notBegun: true }) }
    : { reply: outcome.reply, ...(outcome.replayed && { replayed: true }) };
