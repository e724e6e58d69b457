import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ExportsService } from './exports.service';

@Controller()
export class ExportsController implements Operations<'workspace', 'Dashboard Exports'> {
  constructor(private readonly exports: ExportsService) {}

  @Operation('startExport')
  startExport({ principal, path, body }: Call<'startExport'>) {
    return this.exports.start(principal, path.deploymentId, body);
  }

  @Operation('getExportStatus')
  getExportStatus({ principal, path }: Call<'getExportStatus'>) {
    return this.exports.status(principal, path.deploymentId, path.jobId);
  }

  @Operation('downloadExport')
  downloadExport({ principal, path, query }: Call<'downloadExport'>) {
    return this.exports.download(principal, path, query.filename);
  }
}
