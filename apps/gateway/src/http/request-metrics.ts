import { Counter, Histogram, type Registry } from 'prom-client';

/** Prometheus figures of every request, by operation and status. */
export class RequestMetrics {
  private readonly duration: Histogram<'operation' | 'status'>;
  private readonly requests: Counter<'operation' | 'status'>;

  constructor(registry: Registry) {
    this.duration = new Histogram({
      name: 'plinth_http_request_duration_seconds',
      help: 'Time from the arrival of a request to the end of its reply.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
      registers: [registry],
    });
    this.requests = new Counter({
      name: 'plinth_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['operation', 'status'],
      registers: [registry],
    });
  }

  observe(operation: string, status: number, seconds: number): void {
    const labels = { operation, status: String(status) };
    this.duration.observe(labels, seconds);
    this.requests.inc(labels);
  }
}
