import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { Counter, type Registry } from 'prom-client';
import { resultOf } from './remote-errors';
import type { TaskKind } from './remote-tasks.repository';

@Injectable()
export class RemoteMetrics {
  private readonly operations: Counter<'operation' | 'result'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.operations = new Counter({
      name: 'plinth_build_worker_remote_operations_total',
      help: 'Work with remote repositories, by kind and result',
      labelNames: ['operation', 'result'],
      registers: [registry],
    });
  }

  async observe<T>(operation: TaskKind | 'attach', work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      this.operations.inc({ operation, result: 'success' });
      return done;
    } catch (error) {
      this.operations.inc({ operation, result: resultOf(error) });
      throw error;
    }
  }
}
