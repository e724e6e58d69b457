import type { AppError } from '@plinth/errors';
import type { ByteStream } from './bus';
import { unavailable } from './bus-errors';
import { decodeFrame, type Frame } from './stream-frames';
import { StreamReceiver } from './stream-receiver';
import { StreamSender } from './stream-sender';

export interface StreamSettings {
  /** Chunks of one stream that may be under way at once. */
  window: number;
  chunkBytes: number;
  /** Milliseconds without a sign of life after which a peer counts as gone. */
  idleMs: number;
}

/** Chunks are smaller than what a socket hands over at once (64 KiB), so that the NATS client copies few of them. */
export const defaultStreamSettings: StreamSettings = { window: 32, chunkBytes: 32 * 1024, idleMs: 15_000 };

/** A stream that waits for its consumer at `address`. */
export interface StreamOffer {
  address: string;
  /** Resolves when the stream has ended in whatever way. */
  done: Promise<void>;
  /** Ends the stream when it has not ended yet; a consumer sees the reason. */
  withdraw(reason: AppError): void;
}

interface StreamEnd {
  receive(frame: Frame, replyTo: string | undefined): void;
  abandon(reason: AppError): void;
}

/** All byte streams of one connection, in both directions; they share one subscription to `<base>.*`. */
export class StreamExchange {
  private readonly ends = new Map<string, StreamEnd>();
  private lastNumber = 0;

  constructor(
    private readonly base: string,
    private readonly publish: (subject: string, frame: Uint8Array, replyTo?: string) => void,
    private readonly settings: StreamSettings,
  ) {}

  /** Offers a stream; it is read when a consumer accepts it. */
  offer(source: ByteStream): StreamOffer {
    const address = this.newAddress();
    const { chunkBytes, idleMs } = this.settings;
    const sender = new StreamSender({ source, chunkBytes, idleMs, send: this.publish });
    const withdraw = (reason: AppError): void => sender.stop(reason);
    this.ends.set(address, { receive: (frame, replyTo) => sender.receive(frame, replyTo), abandon: withdraw });
    void sender.done.then(() => this.ends.delete(address));
    return { address, done: sender.done, withdraw };
  }

  /** The stream offered at the address; reading its first chunk accepts it. */
  accept(offered: string): ByteStream {
    const address = this.newAddress();
    const { window, idleMs } = this.settings;
    const receiver: StreamReceiver = new StreamReceiver({
      window,
      idleMs,
      send: (frame) => this.publish(offered, frame, address),
      opened: () =>
        this.ends.set(address, {
          receive: (frame) => receiver.receive(frame),
          abandon: (reason) => receiver.fail(reason),
        }),
      closed: () => this.ends.delete(address),
    });
    return receiver;
  }

  /** Takes a message that arrived at one of this exchange's addresses; late and malformed ones are dropped. */
  receive(address: string, bytes: Uint8Array, replyTo: string | undefined): void {
    const frame = decodeFrame(bytes);
    if (frame) this.ends.get(address)?.receive(frame, replyTo);
  }

  close(): void {
    for (const end of this.ends.values()) end.abandon(unavailable('The service is shutting down'));
  }

  private newAddress(): string {
    return `${this.base}.${++this.lastNumber}`;
  }
}
