import { unlessAborted } from '@plinth/streams';
import type { ByteStream } from './bus';

/** How to watch a stream that passes through, without holding or reordering its chunks. */
export interface StreamHooks {
  /** Wraps every step of the source, for example to restore a context. */
  step?: <T>(work: () => Promise<T>) => Promise<T>;
  /** What a chunk becomes on its way. */
  chunk?: (bytes: Uint8Array) => Uint8Array;
  /** What a failure of the source becomes on its way. */
  failure?: (thrown: unknown) => unknown;
  /** Called once, when the source has ended, failed or been cancelled. */
  ended?: (how: 'complete' | 'failed' | 'cancelled') => void;
  /** Ends the iteration with the signal's reason, also while the source is silent. */
  signal?: AbortSignal;
}

/**
 * Hands a stream on, one chunk at a time and only when asked, so that back-pressure stays intact.
 * Unlike an async generator it passes a cancellation on even when the iteration has not begun.
 */
export function passThrough(source: ByteStream, hooks: StreamHooks): ByteStream {
  const iterator = new PassThroughIterator(source, hooks);
  return { [Symbol.asyncIterator]: () => iterator };
}

class PassThroughIterator implements AsyncIterator<Uint8Array, undefined> {
  private readonly source: AsyncIterator<Uint8Array>;
  private over = false;

  constructor(
    source: ByteStream,
    private readonly hooks: StreamHooks,
  ) {
    this.source = source[Symbol.asyncIterator]();
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.over) return { done: true, value: undefined };
    try {
      const step = await unlessAborted(
        this.step(() => this.source.next()),
        this.hooks.signal,
      );
      if (step.done) {
        this.finish('complete');
        return { done: true, value: undefined };
      }
      return { done: false, value: this.hooks.chunk?.(step.value) ?? step.value };
    } catch (thrown) {
      if (this.hooks.signal?.aborted) void this.stopSource();
      this.finish('failed');
      throw this.hooks.failure ? this.hooks.failure(thrown) : thrown;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.over) {
      this.finish('cancelled');
      await this.stopSource();
    }
    return { done: true, value: undefined };
  }

  private async stopSource(): Promise<void> {
    await this.step(async () => this.source.return?.()).catch(() => undefined);
  }

  private step<T>(work: () => Promise<T>): Promise<T> {
    return this.hooks.step ? this.hooks.step(work) : work();
  }

  private finish(how: 'complete' | 'failed' | 'cancelled'): void {
    if (this.over) return;
    this.over = true;
    this.hooks.ended?.(how);
  }
}

/** Tells the producer that nobody will read on. Never rejects: what the producer makes of it is its own affair. */
export async function cancelStream(stream: ByteStream): Promise<void> {
  try {
    await stream[Symbol.asyncIterator]().return?.();
  } catch {
    // Nobody is left who could use the error.
  }
}
