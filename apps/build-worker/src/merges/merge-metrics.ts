import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { METRICS } from '@plinth/host';
import { Counter, type Registry } from 'prom-client';

@Injectable()
export class MergeMetrics {
  private readonly merges: Counter<'kind' | 'result'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.merges = new Counter({
      name: 'plinth_build_worker_merges_total',
      help: 'Commits to a parent branch and merges into the deploy branch, by result',
      labelNames: ['kind', 'result'],
      registers: [registry],
    });
  }

  async observe<T>(kind: 'commit' | 'merge', work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.merges.inc({ kind, result: 'done' });
      return result;
    } catch (error) {
      const conflict = error instanceof AppError && error.code === 'merge.conflict';
      this.merges.inc({ kind, result: conflict ? 'conflict' : 'refused' });
      throw error;
    }
  }
}
