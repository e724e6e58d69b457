import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { FileListService } from '../files/file-list.service';
import { UploadFinishService } from './upload-finish.service';
import { UploadsService } from './uploads.service';

@Controller()
export class UploadsController implements Operations<'build-worker', 'Data Model Uploads'> {
  constructor(
    private readonly fileList: FileListService,
    private readonly uploads: UploadsService,
    private readonly finishing: UploadFinishService,
  ) {}

  @Operation('fileHashes')
  fileHashes({ principal, path, query }: Call<'fileHashes'>) {
    return this.fileList.hashes(principal, path.deploymentId, query);
  }

  @Operation('startUpload')
  startUpload({ principal, path, query, body }: Call<'startUpload'>) {
    return this.uploads.start(principal, path.deploymentId, query, body);
  }

  @Operation('uploadFile')
  uploadFile({ principal, path, body, upload }: Call<'uploadFile'>) {
    return this.uploads.addFile(principal, path.deploymentId, body, upload);
  }

  @Operation('finishUpload')
  finishUpload({ principal, path, query, body }: Call<'finishUpload'>) {
    return this.finishing.finish(principal, path.deploymentId, query, body);
  }
}
