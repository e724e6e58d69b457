import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { BuildQueue } from './build-queue';
import type { BuildOutcome } from './builds.repository';

@Injectable()
export class BuildMetrics {
  private readonly seconds: Histogram<'status'>;
  private readonly taken: Counter<'attempt'>;
  private readonly running: Gauge;

  constructor(@Inject(METRICS) registry: Registry, queue: BuildQueue) {
    const registers = [registry];
    this.seconds = new Histogram({
      name: 'plinth_build_worker_build_seconds',
      help: 'Time from the claim of a build to its result, by result',
      labelNames: ['status'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers,
    });
    this.taken = new Counter({
      name: 'plinth_build_worker_builds_claimed_total',
      help: 'Builds that this worker claimed; a repeat took over from a worker that died',
      labelNames: ['attempt'],
      registers,
    });
    this.running = new Gauge({
      name: 'plinth_build_worker_builds_running',
      help: 'Builds that this worker runs',
      registers,
    });
    const age = new Gauge({
      name: 'plinth_build_worker_oldest_queued_seconds',
      help: 'Age of the oldest build that waits, in all workers',
      registers,
    });
    new Gauge({
      name: 'plinth_build_worker_builds_queued',
      help: 'Builds that wait, in all workers',
      registers,
      async collect() {
        const { queued, oldestSeconds } = await queue.waiting();
        this.set(queued);
        age.set(oldestSeconds);
      },
    });
  }

  claimed(attempts: number): void {
    this.taken.inc({ attempt: attempts === 1 ? 'first' : 'repeat' });
    this.running.inc();
  }

  /** The worker is done with a build, whether it has a result or was given back. */
  released(): void {
    this.running.dec();
  }

  finished(status: BuildOutcome['status'], seconds: number): void {
    this.seconds.observe({ status }, seconds);
  }
}
