import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { Histogram, type Registry } from 'prom-client';
import type { PictureFormat } from '../pictures';

/** Figures of exports that were made; what became of all of them is with the tasks of the kind `export`. */
@Injectable()
export class ExportMetrics {
  private readonly seconds: Histogram<'format'>;
  private readonly bytes: Histogram<'format'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const shared = { labelNames: ['format'] as const, registers: [registry] };
    this.seconds = new Histogram({
      ...shared,
      name: 'plinth_export_seconds',
      help: 'Time from the claim of an export to its file, in seconds, by format',
      buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300],
    });
    this.bytes = new Histogram({
      ...shared,
      name: 'plinth_export_bytes',
      help: 'Sizes of exported files, by format',
      buckets: [2 ** 16, 2 ** 18, 2 ** 20, 2 ** 22, 2 ** 24, 2 ** 26],
    });
  }

  finished(format: PictureFormat, seconds: number, bytes: number): void {
    this.seconds.observe({ format }, seconds);
    this.bytes.observe({ format }, bytes);
  }
}
