import { setImmediate as turn } from 'node:timers/promises';
import type { ByteStream } from './bus';

/** A stream that was there at once, as a whole, or any other one, from its first byte on. */
export type Beginning = { whole: Buffer } | { rest: ByteStream };

/**
 * Reads what a stream has by now, and no more than `mostBytes` and a chunk of it. It does not wait: whatever comes after this
 * turn of the event loop, failures among it, is for who reads the rest.
 */
export async function beginningOf(stream: ByteStream, mostBytes: number): Promise<Beginning> {
  const source = stream[Symbol.asyncIterator]();
  const over = turn(undefined);
  const chunks: Uint8Array[] = [];
  for (let bytes = 0; bytes <= mostBytes;) {
    const step = source.next();
    const taken = await Promise.race([step, over]).catch(() => undefined);
    if (!taken) return { rest: new Rest(source, chunks, step) };
    if (taken.done) return { whole: Buffer.concat(chunks) };
    // The source may use its buffer again.
    chunks.push(Buffer.from(taken.value));
    bytes += taken.value.length;
  }
  return { rest: new Rest(source, chunks) };
}

/** What was read ahead, a step under way, and what the source has beyond. */
class Rest implements ByteStream, AsyncIterator<Uint8Array> {
  constructor(
    private readonly source: AsyncIterator<Uint8Array>,
    private readonly chunks: Uint8Array[],
    /** Its failure, which `beginningOf` has heard of, is for the reader, who may come later. */
    private step?: Promise<IteratorResult<Uint8Array>>,
  ) {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const value = this.chunks.shift();
    if (value) return Promise.resolve({ done: false, value });
    const { step } = this;
    this.step = undefined;
    return step ?? this.source.next();
  }

  async return(): Promise<IteratorResult<Uint8Array>> {
    this.chunks.length = 0;
    await this.source.return?.();
    return { done: true, value: undefined };
  }
}
