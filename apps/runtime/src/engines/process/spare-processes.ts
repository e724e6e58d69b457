import type { PrepareOrder } from '@plinth/engine';
import type { Logger } from '@plinth/observability';
import type { Spares } from '../engine-driver';
import { type EngineProcess } from './engine-process';
import { residentBytes } from './process-memory';

export interface SpareOptions {
  create(): EngineProcess;
  order: Omit<PrepareOrder, 'kind'>;
  logger: Logger;
}

/**
 * Engines that have loaded everything and wait for an order. They know nothing of any deployment, and each serves one: what
 * an engine has run is never given to another deployment.
 */
export class SpareProcesses implements Spares {
  private readonly waiting = new Set<EngineProcess>();

  constructor(private readonly options: SpareOptions) {}

  keep(count: number): void {
    for (const spare of [...this.waiting].slice(count)) void this.end(spare);
    while (this.waiting.size < count) this.add();
  }

  /** The one that has had the most time. It is the caller's from now on. */
  take(): EngineProcess | undefined {
    const [spare] = this.waiting;
    if (spare) this.waiting.delete(spare);
    return spare;
  }

  memoryBytes(): number {
    return [...this.waiting].reduce((sum, { pid }) => sum + (pid === undefined ? 0 : (residentBytes(pid) ?? 0)), 0);
  }

  async close(): Promise<void> {
    await Promise.all([...this.waiting].map((spare) => this.end(spare)));
  }

  private add(): void {
    const { create, order, logger } = this.options;
    const spare = create();
    this.waiting.add(spare);
    spare.prepare({ kind: 'prepare', ...order });
    void spare.ended.then(({ fault }) => {
      // The next one is started when somebody looks again, so that one that cannot be started is not tried without end.
      if (this.waiting.delete(spare)) logger.warn({ fault }, 'a spare engine has ended');
    });
  }

  private end(spare: EngineProcess): Promise<void> {
    this.waiting.delete(spare);
    return spare.stop(0);
  }
}
