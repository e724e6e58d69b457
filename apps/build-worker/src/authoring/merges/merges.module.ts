import { Module } from '@nestjs/common';
import { DataModelsModule } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { CommitService } from './commit.service';
import { MergeService } from './merge.service';
import { MergesController } from './merges.controller';
import { PullService } from './pull.service';

@Module({
  imports: [DataModelsModule, ProvisioningModule],
  controllers: [MergesController],
  providers: [CommitService, PullService, MergeService],
})
export class MergesModule {}
