import type { Readable } from 'node:stream';
import { own } from './own';

/**
 * The bytes of a stream, which is owned from now on: its error waits for whoever reads, and a reader that leaves, also
 * before the first byte, destroys it.
 */
export function ownedBytes(source: Readable): AsyncIterable<Uint8Array> {
  own(source);
  const iterator = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const owned: AsyncIterator<Uint8Array> = {
    next: () => iterator.next(),
    // The iterator of a stream that was never read leaves the stream as it is.
    return: async () => {
      source.destroy();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => owned };
}
