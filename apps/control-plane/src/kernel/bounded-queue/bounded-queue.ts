import { AppError } from '@plinth/errors';
import pLimit, { type LimitFunction } from 'p-limit';

/** Runs a few pieces of work at a time and lets a bounded number of others wait, in order. */
export class BoundedQueue {
  private readonly limit: LimitFunction;

  constructor(
    concurrency: number,
    private readonly longestQueue: number,
    private readonly refusal = 'Too many people are signing in just now',
  ) {
    this.limit = pLimit(concurrency);
  }

  /** @throws AppError `service.unavailable` (503) at once when too many are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { activeCount, pendingCount, concurrency } = this.limit;
    if (activeCount >= concurrency && pendingCount >= this.longestQueue) {
      throw new AppError('service.unavailable', this.refusal, { retryAfterSeconds: 1 });
    }
    return this.limit(work);
  }
}
