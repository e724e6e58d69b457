import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RepositoryStore, type BareRepository } from '@plinth/git';
import { LOGGER, METRICS } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { Counter, type Registry } from 'prom-client';

const EVERY_MS = 300_000;
const LONGEST_MS = 600_000;

/**
 * Packs the repositories that this worker has open, one at a time. Every write leaves a few files, and a repository of
 * a hundred thousand files is slow to read, to copy and to back up.
 */
@Injectable()
export class RepositoryUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly packed: Counter<'result'>;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: RepositoryStore,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
  ) {
    this.packed = new Counter({
      name: 'plinth_build_worker_repacks_total',
      help: 'Repositories packed again by result',
      labelNames: ['result'],
      registers: [registry],
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort(new Error('The worker is stopping'));
    await this.running;
  }

  /** One round; while one is under way, that one. */
  run(): Promise<void> {
    this.running ??= this.tidyAll().finally(() => (this.running = undefined));
    return this.running;
  }

  private async tidyAll(): Promise<void> {
    for await (const repository of this.store.inUse()) {
      if (this.stopping.signal.aborted) return;
      await this.tidy(repository);
    }
  }

  private async tidy(repository: BareRepository): Promise<void> {
    try {
      const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(LONGEST_MS)]);
      if (await repository.tidy(signal)) this.packed.inc({ result: 'done' });
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.packed.inc({ result: 'failed' });
      this.logger.warn({ err: error, repository: repository.directory }, 'a repository could not be packed');
    }
  }
}
