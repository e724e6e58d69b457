import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { FileListService } from './file-list.service';
import { FilesService } from './files.service';

type FileOperations = Pick<
  Operations<'build-worker', 'Data Model'>,
  'listFiles' | 'updateFiles' | 'removeFiles' | 'renameFiles'
>;

@Controller()
export class FilesController implements FileOperations {
  constructor(
    private readonly fileList: FileListService,
    private readonly files: FilesService,
  ) {}

  @Operation('listFiles')
  listFiles({ principal, path, query }: Call<'listFiles'>) {
    return this.fileList.list(principal, path.deploymentId, query);
  }

  @Operation('updateFiles')
  updateFiles({ principal, path, body }: Call<'updateFiles'>) {
    return this.files.update(principal, path.deploymentId, body);
  }

  @Operation('removeFiles')
  removeFiles({ principal, path, body }: Call<'removeFiles'>) {
    return this.files.remove(principal, path.deploymentId, body);
  }

  @Operation('renameFiles')
  renameFiles({ principal, path, body }: Call<'renameFiles'>) {
    return this.files.rename(principal, path.deploymentId, body);
  }
}
