import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ExportService } from './export.service';
import { ImportService } from './import.service';

@Controller()
export class AsCodeController implements Operations<'workspace', 'Content as Code'> {
  constructor(
    private readonly exports: ExportService,
    private readonly imports: ImportService,
  ) {}

  @Operation('exportWorkspace')
  exportWorkspace({ principal, path }: Call<'exportWorkspace'>) {
    return this.exports.export(principal, path.deploymentId);
  }

  @Operation('importWorkspace')
  importWorkspace({ principal, path, query, upload }: Call<'importWorkspace'>) {
    return this.imports.import(principal, path.deploymentId, query, upload ?? nothing());
  }
}

/** An import without an archive. */
async function* nothing(): AsyncGenerator<Uint8Array> {}
