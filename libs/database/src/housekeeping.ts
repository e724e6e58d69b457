import type { Logger } from '@plinth/observability';
import type { Database } from './database';
import { idempotencyRetentionHours } from './idempotency-records';

const intervalMs = 10 * 60_000;
/** Longer than any event is retried, so that a late repeat still finds its note. */
const inboxRetentionDays = 30;
const rowsPerRun = 10_000;

/** Deletes what has served its time: replies of old requests and notes of applied events. */
export class Housekeeping {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.run().catch((error: unknown) => this.logger.warn({ err: error }, 'housekeeping failed'));
    }, intervalMs).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    await this.deleteOld('idempotency_record', 'created_at', `${idempotencyRetentionHours} hours`);
    await this.deleteOld('inbox', 'applied_at', `${inboxRetentionDays} days`);
  }

  private async deleteOld(table: string, column: string, age: string): Promise<void> {
    await this.database.asSystem((query) =>
      query(
        `delete from ${table} where ctid = any(array(
           select ctid from ${table} where ${column} < now() - $1::interval limit ${rowsPerRun}))`,
        [age],
      ),
    );
  }
}
