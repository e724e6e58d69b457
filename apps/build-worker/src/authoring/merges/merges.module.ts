import { Module } from '@nestjs/common';
import { CompilationModule } from '../../compilation';
import { DataModelsModule } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { CommitService } from './commit.service';
import { ContentCheckService } from './content-check.service';
import { MergeService } from './merge.service';
import { MergesController } from './merges.controller';
import { PullService } from './pull.service';

@Module({
  imports: [CompilationModule, DataModelsModule, ProvisioningModule],
  controllers: [MergesController],
  providers: [CommitService, ContentCheckService, PullService, MergeService],
})
export class MergesModule {}
