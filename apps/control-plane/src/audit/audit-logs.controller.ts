import { Controller } from '@nestjs/common';
import { Operation, type Call } from '@plinth/messaging';
import { AuditExportService } from './audit-export.service';

@Controller()
export class AuditLogsController {
  constructor(private readonly auditExport: AuditExportService) {}

  @Operation('exportAuditLogs')
  exportAuditLogs({ principal, query }: Call<'exportAuditLogs'>) {
    return this.auditExport.export(principal, query);
  }
}
