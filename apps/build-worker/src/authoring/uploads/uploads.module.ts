import { Module } from '@nestjs/common';
import { DataModelsModule, EffectApplier } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { FilesModule } from '../files/files.module';
import { finishedUpload } from './finished-upload';
import { UploadFinishService } from './upload-finish.service';
import { UploadsController } from './uploads.controller';
import { UploadsRepository } from './uploads.repository';
import { UploadsService } from './uploads.service';

@Module({
  imports: [DataModelsModule, ProvisioningModule, FilesModule],
  controllers: [UploadsController],
  providers: [UploadsRepository, UploadsService, UploadFinishService],
})
export class UploadsModule {
  constructor(effects: EffectApplier, uploads: UploadsRepository) {
    effects.register(finishedUpload, (tx, upload) => uploads.finish(tx, upload));
  }
}
