import { deadlineExceeded } from './bus-errors';

/**
 * How long a caller waits: until the time is up or the outer signal is aborted, or until `end` is called.
 * Most calls carry no stream and never look at `signal`, which is made when it is first asked for.
 */
export class Patience {
  private readonly timer: NodeJS.Timeout;
  private controller: AbortController | undefined;
  private refuse: ((reason: unknown) => void) | undefined;
  private reason: Error | undefined;

  constructor(
    timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(this.giveUp, timeoutMs);
    if (outer?.aborted) this.giveUp();
    outer?.addEventListener('abort', this.giveUp, { once: true });
  }

  /** Aborted when the patience is at its end. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /** The promise, or a 504 as soon as the patience is at its end. */
  wait<T>(promise: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.reason) reject(this.reason);
      this.refuse = reject;
      promise.then(resolve, reject);
    });
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.giveUp);
  }

  /** Ends the wait now: the reply will not come. */
  readonly giveUp = (): void => {
    this.reason = deadlineExceeded();
    this.controller?.abort(this.reason);
    this.refuse?.(this.reason);
  };
}
