import { AppError } from '@plinth/errors';

/** Runs a few pieces of work at a time and lets a bounded number of others wait, in order. */
export class BoundedQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly concurrency: number,
    private readonly longestQueue: number,
    private readonly refusal = 'Too many people are signing in just now',
  ) {}

  /** @throws AppError `service.unavailable` (503) at once when too many are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private enter(): Promise<void> | undefined {
    if (this.running < this.concurrency) {
      this.running += 1;
      return undefined;
    }
    if (this.waiting.length >= this.longestQueue) {
      throw new AppError('service.unavailable', this.refusal, { retryAfterSeconds: 1 });
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The place goes to the next in the queue, if there is one. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.running -= 1;
  }
}
