import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@plinth/auth';
import type { QueryOf, ReplyOf } from '@plinth/contract';
import { Database, keysetList } from '@plinth/database';
import { TenantSettingsService } from '../../tenancy';
import { AuditCheckpointsRepository } from './audit-checkpoints.repository';
import { requireAuditLog } from './require-audit-log';

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
    return keysetList(query, {
      name: 'audit-checkpoints',
      filters: {},
      positionOf: ({ number }: { number: number }) => [number],
      read: async (limit, [afterNumber = 0]) => {
        await requireAuditLog(this.settings, tenantId);
        return this.database.transaction(tenantId, (tx) => this.checkpoints.list(tx, tenantId, { afterNumber }, limit));
      },
    });
  }
}
