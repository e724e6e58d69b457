import { Injectable } from '@nestjs/common';
import { BoundedQueue } from '../../kernel';

/** Of the ten connections of a process, so that a slow provider stops nobody else's work. */
const CONCURRENCY = 4;
const LONGEST_QUEUE = 100;

/** Lets a few calls of providers at a time hold a transaction open. */
@Injectable()
export class ProviderCalls {
  private readonly queue = new BoundedQueue(CONCURRENCY, LONGEST_QUEUE, 'Too many OAuth providers are slow just now');

  /** @throws AppError `service.unavailable` (503) at once when too many are waiting. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.run(work);
  }
}
