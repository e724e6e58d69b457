import type { Logger } from '@plinth/observability';
import type { Database } from './database';
import { KEPT_HOURS } from './idempotency';
import { managerFor } from './transaction';

const EVERY_MS = 600_000;
/** Longer than any event is repeated in practice, so that a late repeat still finds its entry. */
const INBOX_KEPT_DAYS = 30;

/** Deletes what has served its time: replies of old requests and entries of applied events. */
export class Housekeeping {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.run().catch((error: unknown) => this.logger.warn({ err: error }, 'housekeeping failed'));
    }, EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    await this.database.asSystem(async (tx) => {
      const manager = managerFor(tx);
      await manager.query(`delete from idempotency_record where created_at < now() - interval '${KEPT_HOURS} hours'`);
      await manager.query(`delete from inbox where received_at < now() - interval '${INBOX_KEPT_DAYS} days'`);
    });
  }
}
