import { AppError } from '@plinth/errors';
import { unlessAborted } from '@plinth/streams';
import type { ByteStream } from './bus';
import { unavailable } from './bus-errors';
import { passThrough } from './byte-stream';
import { encodeFrame, type Frame, type FrameKind } from './stream-frames';
import { Liveness } from './stream-liveness';

export interface SenderOptions {
  source: ByteStream;
  chunkBytes: number;
  /** Milliseconds without a sign of life after which the consumer counts as gone. */
  idleMs: number;
  send: (to: string, frame: Uint8Array) => void;
}

/** The producing end: reads the source only as fast as the consumer grants credit, and not before it has accepted. */
export class StreamSender {
  /** Resolves when the stream has ended in whatever way. */
  readonly done: Promise<void>;
  private readonly stopped = new AbortController();
  private readonly liveness: Liveness;
  private consumer: string | undefined;
  private sent = 0;
  private granted = 0;
  private onGrant: () => void = () => {};

  constructor(private readonly options: SenderOptions) {
    this.liveness = new Liveness(
      options.idleMs,
      () => this.send('ping'),
      () => this.stop(unavailable('The reader of the stream has gone')),
    );
    this.done = this.run();
  }

  receive({ kind, number }: Frame, replyTo: string | undefined): void {
    this.liveness.heard();
    if (kind === 'cancel') this.stop(unavailable('The reader of the stream has gone'));
    if (kind !== 'grant') return;
    this.consumer ??= replyTo;
    this.granted = Math.max(this.granted, number);
    this.onGrant();
  }

  /** Ends the stream early; the consumer sees the reason. */
  stop(reason: AppError): void {
    this.stopped.abort(reason);
  }

  private async run(): Promise<void> {
    const source = passThrough(this.options.source, { signal: this.stopped.signal });
    try {
      await this.credit();
      for await (const bytes of source) await this.sendInPieces(bytes);
      this.send('end');
    } catch (thrown) {
      void source[Symbol.asyncIterator]().return?.();
      this.send('error', Buffer.from(JSON.stringify(AppError.from(thrown).toWire())));
    } finally {
      this.liveness.stop();
    }
  }

  private async sendInPieces(bytes: Uint8Array): Promise<void> {
    const { chunkBytes } = this.options;
    for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
      if (this.sent >= this.granted) await this.credit();
      this.send('chunk', bytes.subarray(offset, offset + chunkBytes));
      this.sent++;
    }
  }

  private async credit(): Promise<void> {
    const { signal } = this.stopped;
    while (this.sent >= this.granted) {
      await unlessAborted(new Promise<void>((resolve) => (this.onGrant = resolve)), signal);
    }
  }

  private send(kind: FrameKind, payload?: Uint8Array): void {
    if (this.consumer !== undefined) this.options.send(this.consumer, encodeFrame(kind, this.sent, payload));
  }
}
