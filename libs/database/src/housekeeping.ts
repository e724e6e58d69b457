import type { Logger } from '@plinth/observability';
import { WakeableLoop } from '@plinth/tasks';
import type { Database } from './database';
import { KEPT_HOURS } from './idempotency';
import type { RetentionRule } from './service-schema';
import { managerFor } from './transaction';

const EVERY_MS = 600_000;
/** Rows deleted in one transaction, so that no lock is held for long. */
const BATCH = 1_000;

const SHARED_TABLES: readonly RetentionRule[] = [
  { table: 'idempotency_record', expired: `created_at < now() - interval '${KEPT_HOURS} hours'` },
  // Longer than any event is repeated in practice, so that a late repeat still finds its entry.
  { table: 'inbox', expired: `received_at < now() - interval '30 days'` },
];

/**
 * Deletes what has served its time, rows of the shared tables and those that the service's rules name, and runs the
 * service's upkeep.
 */
export class Housekeeping {
  private readonly loop: WakeableLoop;
  private readonly rules: readonly RetentionRule[];

  constructor(
    private readonly database: Database,
    logger: Logger,
    rules: readonly RetentionRule[] = [],
    private readonly upkeep: readonly string[] = [],
  ) {
    this.rules = [...SHARED_TABLES, ...rules];
    this.loop = new WakeableLoop(() => this.run(), {
      name: 'delete what has served its time',
      everyMs: EVERY_MS,
      logger,
    });
  }

  start(): void {
    this.loop.start();
  }

  /** Finishes what runs. */
  stop(): Promise<void> {
    return this.loop.stop();
  }

  async run(): Promise<void> {
    for (const rule of this.rules) {
      while ((await this.deleteBatch(rule)) === BATCH);
    }
    for (const statement of this.upkeep) await this.database.asSystem((tx) => managerFor(tx).query(statement));
  }

  private deleteBatch({ table, expired }: RetentionRule): Promise<number> {
    return this.database.asSystem(async (tx) => {
      const [, count] = (await managerFor(tx).query(
        `delete from ${table} where ctid = any(array(select ctid from ${table} where ${expired} limit ${BATCH}))`,
      )) as [unknown, number];
      return count;
    });
  }
}
