import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { FileListService } from './file-list.service';

@Controller()
export class FileHashesController implements Operations<'build-worker', 'Data Model Uploads'> {
  constructor(private readonly files: FileListService) {}

  @Operation('fileHashes')
  fileHashes({ principal, path, query }: Call<'fileHashes'>) {
    return this.files.hashes(principal, path.deploymentId, query);
  }
}
