import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, decodeCursor, encodeCursor, resolveCursorPaging, toPage } from '@plinth/database';
import { TenantSettingsService } from '../../tenancy';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository';
import { requireAuditLog } from './require-audit-log';

const list = 'audit-checkpoints';

/** Hands out a tenant's checkpoints, to be kept beside what it exports. */
@Injectable()
export class AuditCheckpointsService {
  constructor(
    @Inject(Database) private readonly database: Database,
    private readonly settings: TenantSettingsService,
    private readonly checkpoints: AuditCheckpointsRepository,
  ) {}

  /** @throws AppError `audit_log.off` (403) while the tenant has not enabled it. */
  async list(principal: Principal, query: QueryOf<'listAuditCheckpoints'>): Promise<ReplyOf<'listAuditCheckpoints'>> {
    const { tenantId } = principal;
    const { first, after } = resolveCursorPaging(query);
    const [afterNumber = 0] = after === undefined ? [] : decodeCursor(list, {}, after);
    await requireAuditLog(this.settings, tenantId);
    const rows = await this.database.transaction(tenantId, (tx) =>
      this.checkpoints.list(tx, tenantId, { afterNumber: afterNumber as number }, first + 1),
    );
    return toPage(rows, first, { cursorOf: ({ number }) => encodeCursor(list, {}, [number]), after });
  }
}
