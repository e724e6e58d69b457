import { Module } from '@nestjs/common';
import { BuildsModule } from '../../builds';
import { DataModelsModule } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { FileListService } from './file-list.service';
import { FilesController } from './files.controller';
import { FilesService } from './files.service';

@Module({
  imports: [DataModelsModule, ProvisioningModule, BuildsModule],
  controllers: [FilesController],
  providers: [FileListService, FilesService],
  exports: [FileListService],
})
export class FilesModule {}
