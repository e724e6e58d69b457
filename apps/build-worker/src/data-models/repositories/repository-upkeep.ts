import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RepositoryStore, type BareRepository } from '@plinth/git';
import { LOGGER, METRICS } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import { Counter, type Registry } from 'prom-client';
import { StorageCollection } from './storage-collection';
import type { RepositoryKey } from './storage-usage.repository';

const EVERY_MS = 300_000;
const LONGEST_MS = 600_000;

/**
 * Packs the repositories that this worker has open, one at a time. Every write leaves a few files, and a repository of
 * a hundred thousand files is slow to read, to copy and to back up. Then drops what uploads left behind, wherever it is.
 */
@Injectable()
export class RepositoryUpkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private readonly packed: Counter<'result'>;
  private readonly collected: Counter<'result'>;
  private readonly loop: WakeableLoop;

  constructor(
    private readonly store: RepositoryStore,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) registry: Registry,
    private readonly collection: StorageCollection,
  ) {
    this.packed = new Counter({
      name: 'plinth_build_worker_repacks_total',
      help: 'Repositories packed again by result',
      labelNames: ['result'],
      registers: [registry],
    });
    this.collected = new Counter({
      name: 'plinth_build_worker_collections_total',
      help: 'Repositories freed from what uploads left behind by result',
      labelNames: ['result'],
      registers: [registry],
    });
    const name = 'look after repositories';
    this.loop = new WakeableLoop(() => this.run(), { name, everyMs: EVERY_MS, firstAfterMs: EVERY_MS, logger });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort(new Error('The worker is stopping'));
    return this.loop.stop();
  }

  /** One round. */
  async run(): Promise<void> {
    await this.tidyAll();
    await this.collectAll();
  }

  private async tidyAll(): Promise<void> {
    for await (const repository of this.store.inUse()) {
      if (this.stopping.signal.aborted) return;
      await this.tidy(repository);
    }
  }

  private async tidy(repository: BareRepository): Promise<void> {
    try {
      if (await repository.tidy(this.deadline())) this.packed.inc({ result: 'done' });
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.packed.inc({ result: 'failed' });
      this.logger.warn({ err: error, repository: repository.directory }, 'a repository could not be packed');
    }
  }

  private async collectAll(): Promise<void> {
    try {
      while (!this.stopping.signal.aborted) {
        const due = await this.collection.claim();
        if (!due) return;
        await this.collect(due);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'could not look for repositories to collect');
    }
  }

  private async collect(due: RepositoryKey): Promise<void> {
    try {
      await this.collection.collect(due, this.deadline());
      this.collected.inc({ result: 'done' });
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.collected.inc({ result: 'failed' });
      this.logger.warn({ err: error, ...due }, 'a repository could not be collected');
    }
  }

  private deadline(): AbortSignal {
    return AbortSignal.any([this.stopping.signal, AbortSignal.timeout(LONGEST_MS)]);
  }
}
