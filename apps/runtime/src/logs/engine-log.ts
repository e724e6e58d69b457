import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '@plinth/database';
import { LOGGER } from '@plinth/host';
import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { EngineLine } from './engine-line';
import { EngineLogRepository, type NewLogLine } from './engine-log.repository';

/** Lines that are written in one statement. */
const BATCH = 500;
/** Time in which lines gather, in milliseconds. */
const GATHER_MS = 250;
/** Lines that wait while the database is away; more of them are lost, and the log says how many. */
const MOST_WAITING = 10_000;
const LOOK_EVERY_MS = 60_000;
/** Bytes that an environment writes before its old lines are looked at. */
const TRIM_AFTER_BYTES = 1_000_000;

/** Puts what engines write into the database, some time later and many lines at once. */
@Injectable()
export class EngineLog implements OnApplicationBootstrap, OnApplicationShutdown {
  private waiting: NewLogLine[] = [];
  private lost = 0;
  private gathering: NodeJS.Timeout | undefined;
  /** Bytes by environment since its old lines were looked at. */
  private readonly written = new Map<number, number>();
  private readonly loop: WakeableLoop;

  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly lines: EngineLogRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.loop = new WakeableLoop(() => this.write(), {
      name: 'write the logs of engines',
      everyMs: LOOK_EVERY_MS,
      firstAfterMs: LOOK_EVERY_MS,
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.gathering);
    await this.loop.stop();
    await this.write().catch((err: unknown) => this.logger.warn({ err }, 'the last lines of engines are lost'));
  }

  add({ place, pod, container, message }: EngineLine): void {
    if (this.waiting.length >= MOST_WAITING) {
      this.lost += 1;
      return;
    }
    const { tenantId, deploymentId, environmentId } = place;
    this.waiting.push({ tenantId, deploymentId, environmentId, pod, container, message, loggedAt: new Date() });
    this.gathering ??= setTimeout(() => this.wake(), GATHER_MS).unref();
  }

  private wake(): void {
    this.gathering = undefined;
    this.loop.wake();
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.slice(0, BATCH);
      await this.database.asSystem((tx) => this.lines.insert(tx, batch));
      this.waiting.splice(0, batch.length);
      await this.trim(batch);
    }
    if (this.lost > 0) this.logger.warn({ lines: this.lost }, 'lines of engines are lost: the database was away');
    this.lost = 0;
  }

  private async trim(batch: readonly NewLogLine[]): Promise<void> {
    for (const { environmentId, message } of batch) {
      this.written.set(environmentId, (this.written.get(environmentId) ?? 0) + Buffer.byteLength(message));
    }
    for (const environmentId of new Set(batch.map((line) => line.environmentId))) {
      if ((this.written.get(environmentId) ?? 0) < TRIM_AFTER_BYTES) continue;
      await this.database.asSystem((tx) => this.lines.trim(tx, environmentId));
      this.written.delete(environmentId);
    }
  }
}
