import { requestContext } from '@plinth/observability';

/** Thrown when a request has waited for as long as clients are made to wait; they ask again by themselves. */
export class StillWaiting extends Error {
  override readonly name = 'StillWaiting';
}

/** For how long a request waits for its engine: until its time is up, or its caller has gone. */
export class Patience {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly caller = requestContext()?.signal;
  private readonly onAbort = (): void => this.controller.abort(this.caller?.reason);

  constructor(milliseconds: number) {
    this.timer = setTimeout(() => this.controller.abort(new StillWaiting()), milliseconds);
    if (this.caller?.aborted) this.onAbort();
    this.caller?.addEventListener('abort', this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Nobody waits any more. */
  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.onAbort);
  }
}
