import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf } from '@plinth/contract';
import { Database } from '@plinth/database';
import type { StreamReply } from '@plinth/messaging';
import { TenantSettingsService } from '../../tenancy';
import {
  AuditExportRepository,
  csvHeader,
  type ExportBatch,
  type ExportFilter,
  type ExportPosition,
} from './audit-export.repository';
import { parsePeriod } from './audit-period';
import { requireAuditLog } from './require-audit-log';

/** How many rows the first batch has and any batch at most. */
const ROWS = { first: 100, most: 5_000 };
/** What a batch should come to, so that long events take no more memory than short ones. */
const BATCH_BYTES = 2 * 1024 * 1024;

type ReadBatch = (limit: number, after?: ExportPosition) => Promise<ExportBatch | undefined>;

/** Exports a tenant's audit log. Between two batches it holds no connection, so a slow reader costs the others nothing. */
@Injectable()
export class AuditExportService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsService,
    private readonly events: AuditExportRepository,
  ) {}

  /**
   * The events that are in the log now, as CSV. Each batch has the statement deadline of the database, the whole has none.
   *
   * @throws AppError `audit_log.off` (403) while the tenant has not enabled it, `request.invalid` (400) for a bad period.
   */
  async export(principal: Principal, query: QueryOf<'exportAuditLogs'>): Promise<StreamReply> {
    const { tenantId } = principal;
    const filter = filterOf(query);
    await requireAuditLog(this.settings, tenantId);
    const lastId = await this.database.asSystem((tx) => this.events.lastId(tx, tenantId));
    const read: ReadBatch = (limit, after) =>
      this.database.asSystem((tx) => this.events.findBatch(tx, tenantId, filter, { lastId, after, limit }));
    const first = await read(ROWS.first);
    return { headers: attachment(), stream: csv(first, read) };
  }
}

/** One batch is read ahead while the one before is on its way. */
async function* csv(first: ExportBatch | undefined, read: ReadBatch): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvHeader);
  let next = Promise.resolve(first);
  for (let batch = await next; batch; batch = await next) {
    next = batch.isLast ? Promise.resolve(undefined) : read(limitAfter(batch), batch.last);
    // Until it is awaited nobody else sees that it failed.
    next.catch(() => undefined);
    yield* batch.chunks;
  }
}

/** Rows that come to the bytes of a batch, if they are as long as those before. */
const limitAfter = ({ rows, bytes }: ExportBatch): number =>
  Math.min(Math.ceil((rows * BATCH_BYTES) / bytes), ROWS.most);

const filterOf = (query: QueryOf<'exportAuditLogs'>): ExportFilter => ({
  ...parsePeriod(query),
  search: query.search || undefined,
  eventName: query.eventName || undefined,
  userEmail: query.userEmail || undefined,
});

const attachment = (): Record<string, string> => ({
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': `attachment; filename="audit-log-${new Date().toISOString().slice(0, 10)}.csv"`,
  'cache-control': 'no-store',
});
