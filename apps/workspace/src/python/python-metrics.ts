import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { Counter, Histogram, type Registry } from 'prom-client';

/** What has become of a run: `busy` and `broken` are the platform's affair. */
export type PythonEnd = 'result' | 'failure' | 'cached' | 'busy' | 'broken' | 'abandoned';

/** Figures of Python programs of reports. */
@Injectable()
export class PythonMetrics {
  private readonly runs: Counter<'end'>;
  private readonly seconds: Histogram;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.runs = new Counter({
      ...{ name: 'plinth_python_runs_total', registers, labelNames: ['end'] as const },
      help: 'Python programs of reports that were asked for, by what has become of them',
    });
    this.seconds = new Histogram({
      ...{ name: 'plinth_python_run_seconds', registers, buckets: [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60] },
      help: 'Time of a Python program, its wait for a turn included, in seconds',
    });
  }

  ended(end: PythonEnd, seconds?: number): void {
    this.runs.inc({ end });
    if (seconds !== undefined) this.seconds.observe(seconds);
  }
}
