import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { FoldersService } from './folders.service';

@Controller()
export class FoldersController implements Operations<'workspace', 'Folders'> {
  constructor(private readonly folders: FoldersService) {}

  @Operation('getFolders')
  getFolders({ principal, path, query }: Call<'getFolders'>) {
    return this.folders.list(principal, path.deploymentId, query);
  }

  @Operation('createFolder')
  createFolder({ principal, path, body }: Call<'createFolder'>) {
    return this.folders.create(principal, path.deploymentId, body);
  }

  @Operation('updateFolder')
  updateFolder({ principal, path, body }: Call<'updateFolder'>) {
    return this.folders.update(principal, path.deploymentId, path.folderId, body);
  }

  @Operation('deleteFolder')
  deleteFolder({ principal, path }: Call<'deleteFolder'>) {
    return this.folders.delete(principal, path.deploymentId, path.folderId);
  }

  @Operation('getFolderAncestors')
  getFolderAncestors({ principal, path }: Call<'getFolderAncestors'>) {
    return this.folders.ancestors(principal, path.deploymentId, path.folderId);
  }

  @Operation('getReportFolders')
  getReportFolders({ principal, path, query }: Call<'getReportFolders'>) {
    return this.folders.withReports(principal, path.deploymentId, query);
  }
}
