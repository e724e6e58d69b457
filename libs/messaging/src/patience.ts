import { deadlineExceeded } from './bus-errors';

/** How long a caller waits: its `signal` is aborted after the time, or with the outer signal, until `end` is called. */
export class Patience {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly giveUp = (): void => this.controller.abort(deadlineExceeded());

  constructor(
    timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    this.timer = setTimeout(this.giveUp, timeoutMs);
    if (outer?.aborted) this.giveUp();
    outer?.addEventListener('abort', this.giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  end(): void {
    clearTimeout(this.timer);
    this.outer?.removeEventListener('abort', this.giveUp);
  }
}
