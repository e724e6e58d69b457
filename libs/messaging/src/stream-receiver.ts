import { AppError, type WireError } from '@plinth/errors';
import type { ByteStream } from './bus';
import { unavailable } from './bus-errors';
import { encodeFrame, type Frame } from './stream-frames';
import { Liveness } from './stream-liveness';

export interface ReceiverOptions {
  /** Chunks that may be under way or waiting to be read. */
  window: number;
  /** Milliseconds without a sign of life after which the producer counts as gone. */
  idleMs: number;
  /** Sends to the producer, with the receiver's own address as the reply subject. */
  send: (frame: Uint8Array) => void;
  /** Called when the first chunk is asked for: from now on frames may arrive. */
  opened: () => void;
  /** Called when no more frames are wanted. */
  closed: () => void;
}

const ENDED = Symbol('ended');

/** The consuming end: accepts the stream with its first read and grants credit as it is read. */
export class StreamReceiver implements ByteStream, AsyncIterator<Uint8Array, undefined> {
  private readonly waiting: Uint8Array[] = [];
  private liveness: Liveness | undefined;
  private arrived = 0;
  private read = 0;
  private granted = 0;
  private ending: AppError | typeof ENDED | undefined;
  private onArrival: () => void = () => {};

  constructor(private readonly options: ReceiverOptions) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.liveness && !this.ending) this.open();
    for (;;) {
      const chunk = this.waiting.shift();
      if (chunk) return { done: false, value: this.taken(chunk) };
      if (this.ending) return this.over(this.ending);
      await new Promise<void>((resolve) => (this.onArrival = resolve));
    }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.ending) this.options.send(encodeFrame('cancel', 0));
    this.waiting.length = 0;
    this.end(ENDED);
    return Promise.resolve({ done: true, value: undefined });
  }

  receive({ kind, number, payload }: Frame): void {
    if (this.ending) return;
    this.liveness?.heard();
    if (number !== this.arrived) return this.fail(unavailable('A part of the stream was lost'));
    if (kind === 'chunk') this.arrive(payload);
    else if (kind === 'end') this.end(ENDED);
    else if (kind === 'error') this.end(errorIn(payload));
  }

  /** Ends the stream from this side; what has arrived can still be read. */
  fail(error: AppError): void {
    if (this.ending) return;
    this.options.send(encodeFrame('cancel', 0));
    this.end(error);
  }

  private open(): void {
    this.options.opened();
    this.liveness = new Liveness(
      this.options.idleMs,
      () => this.grant(),
      () => this.fail(unavailable('The sender of the stream has gone')),
    );
    this.granted = this.options.window;
    this.grant();
  }

  private taken(chunk: Uint8Array): Uint8Array {
    this.read++;
    if (!this.ending && this.granted - this.read <= this.options.window / 2) {
      this.granted = this.read + this.options.window;
      this.grant();
    }
    return chunk;
  }

  private grant(): void {
    this.options.send(encodeFrame('grant', this.granted));
  }

  private arrive(chunk: Uint8Array): void {
    this.arrived++;
    this.waiting.push(chunk);
    this.onArrival();
  }

  private end(how: AppError | typeof ENDED): void {
    if (this.ending) return;
    this.ending = how;
    this.liveness?.stop();
    this.options.closed();
    this.onArrival();
  }

  private over(how: AppError | typeof ENDED): IteratorResult<Uint8Array, undefined> {
    if (how === ENDED) return { done: true, value: undefined };
    this.ending = ENDED;
    throw how;
  }
}

function errorIn(payload: Uint8Array): AppError {
  try {
    return AppError.fromWire(JSON.parse(Buffer.from(payload).toString()) as WireError);
  } catch (cause) {
    return new AppError('service.internal', 'Something went wrong on our side', { cause });
  }
}
