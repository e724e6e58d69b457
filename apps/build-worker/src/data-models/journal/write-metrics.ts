import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { METRICS } from '@plinth/host';
import { Counter, type Registry } from 'prom-client';

type WriteKind = 'files' | 'upload' | 'commit' | 'pull' | 'merge';

@Injectable()
export class WriteMetrics {
  private readonly writes: Counter<'kind' | 'result'>;

  constructor(@Inject(METRICS) registry: Registry) {
    this.writes = new Counter({
      name: 'plinth_build_worker_writes_total',
      help: 'Writes to branches by kind and result',
      labelNames: ['kind', 'result'],
      registers: [registry],
    });
  }

  async observe<T>(kind: WriteKind, write: () => Promise<T>): Promise<T> {
    try {
      const reply = await write();
      this.writes.inc({ kind, result: 'done' });
      return reply;
    } catch (error) {
      this.writes.inc({ kind, result: resultOf(error) });
      throw error;
    }
  }
}

/** Only what is nobody's fault but ours counts as failed. */
function resultOf(error: unknown): 'conflict' | 'refused' | 'failed' {
  if (!(error instanceof AppError) || error.isFailure) return 'failed';
  return error.code === 'merge.conflict' ? 'conflict' : 'refused';
}
