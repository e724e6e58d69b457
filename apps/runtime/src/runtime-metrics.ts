import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@plinth/host';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { EngineRegistry, Place, QueryReport, StartOutcome } from './engines';

/** Deployments that have figures of their own, the ones asked last: each is a series of every metric below. */
const MOST_DEPLOYMENTS = 200;

/** What a runtime tells of its engines and their queries. */
@Injectable()
export class RuntimeMetrics {
  private readonly starts: Counter<'outcome'>;
  private readonly startSeconds: Histogram;
  private readonly crashes: Counter;
  private readonly querySeconds: Histogram<'route'>;
  private readonly queries: Counter<'deployment' | 'cache' | 'result'>;
  private readonly rows: Counter<'deployment'>;
  private readonly seconds: Counter<'deployment'>;
  private readonly deployments = new LRUCache<number, string>({
    max: MOST_DEPLOYMENTS,
    dispose: (deployment) => this.forget(deployment),
  });

  constructor(@Inject(METRICS) private readonly registry: Registry) {
    const registers = [registry];
    this.starts = new Counter({
      name: 'plinth_runtime_engine_starts_total',
      help: 'Starts of engines, by how they ended',
      labelNames: ['outcome'],
      registers,
    });
    this.crashes = new Counter({
      name: 'plinth_runtime_engine_crashes_total',
      help: 'Engines that ended by themselves',
      registers,
    });
    this.queries = new Counter({
      name: 'plinth_runtime_queries_total',
      help: 'Queries, by deployment, result and where it came from',
      labelNames: ['deployment', 'cache', 'result'],
      registers,
    });
    this.rows = new Counter({
      name: 'plinth_runtime_query_rows_total',
      help: 'Rows that queries returned, by deployment',
      labelNames: ['deployment'],
      registers,
    });
    this.seconds = new Counter({
      name: 'plinth_runtime_deployment_query_seconds_total',
      help: 'Time of queries together, by deployment',
      labelNames: ['deployment'],
      registers,
    });
    this.startSeconds = new Histogram({
      name: 'plinth_runtime_engine_start_seconds',
      help: 'Time from the decision to start an engine until it answers',
      buckets: [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120],
      registers,
    });
    this.querySeconds = new Histogram({
      name: 'plinth_runtime_query_seconds',
      help: 'Time of queries in engines, by route',
      labelNames: ['route'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
      registers,
    });
  }

  /** Figures of the engines, as they are when they are asked for. */
  watch(engines: EngineRegistry): void {
    const registers = [this.registry];
    const memory = new Gauge({
      name: 'plinth_runtime_engine_memory_bytes',
      help: 'Memory of all engines of this runtime',
      registers,
    });
    new Gauge({
      name: 'plinth_runtime_engines',
      help: 'Engines of this runtime, by what they do',
      labelNames: ['state'],
      registers,
      collect() {
        const { starting, running, memoryBytes } = engines.count();
        this.set({ state: 'starting' }, starting);
        this.set({ state: 'running' }, running);
        memory.set(memoryBytes);
      },
    });
  }

  started(outcome: StartOutcome, seconds: number): void {
    this.starts.inc({ outcome });
    if (outcome === 'ready') this.startSeconds.observe(seconds);
  }

  crashed(): void {
    this.crashes.inc();
  }

  query({ deploymentId }: Place, { route, durationMs, rows, cached, failed }: QueryReport): void {
    const deployment = String(deploymentId);
    this.deployments.set(deploymentId, deployment);
    const seconds = durationMs / 1_000;
    this.querySeconds.observe({ route }, seconds);
    this.seconds.inc({ deployment }, seconds);
    this.rows.inc({ deployment }, rows);
    this.queries.inc({ deployment, cache: cached ? 'hit' : 'miss', result: failed ? 'failed' : 'answered' });
  }

  private forget(deployment: string): void {
    this.rows.remove({ deployment });
    this.seconds.remove({ deployment });
    for (const cache of ['hit', 'miss'])
      for (const result of ['failed', 'answered']) this.queries.remove({ deployment, cache, result });
  }
}
