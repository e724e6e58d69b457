import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { AuditCheckpointsService } from './audit-checkpoints.service';
import { AuditExportService } from './audit-export.service';
import { DenialsService } from './denials.service';

@Controller()
export class AuditLogsController {
  constructor(
    private readonly auditExport: AuditExportService,
    private readonly checkpoints: AuditCheckpointsService,
    private readonly denials: DenialsService,
  ) {}

  @Operation('recordDenial')
  recordDenial({ principal }: Call<'recordDenial'>) {
    return this.denials.record(principal);
  }

  @Operation('exportAuditLogs')
  exportAuditLogs({ principal, query }: Call<'exportAuditLogs'>) {
    return this.auditExport.export(principal, query);
  }

  @Operation('listAuditCheckpoints')
  listAuditCheckpoints({ principal, query }: Call<'listAuditCheckpoints'>) {
    return this.checkpoints.list(principal, query);
  }
}
