import { Module } from '@nestjs/common';
import { BranchesModule } from './branches/branches.module';
import { DevModeModule } from './dev-mode/dev-mode.module';
import { FilesModule } from './files/files.module';
import { MergesModule } from './merges/merges.module';
import { UploadsModule } from './uploads/uploads.module';

/** What people do with data models: branches, dev mode, files, merges and uploads. */
@Module({ imports: [BranchesModule, DevModeModule, FilesModule, MergesModule, UploadsModule] })
export class AuthoringModule {}
