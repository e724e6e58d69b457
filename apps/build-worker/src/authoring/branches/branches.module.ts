import { Module } from '@nestjs/common';
import { DataModelsModule } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { RemotesModule } from '../../remotes';
import { BranchForks } from './branch-forks';
import { BranchListController } from './branch-list.controller';
import { BranchListService } from './branch-list.service';
import { BranchesController } from './branches.controller';
import { BranchesService } from './branches.service';
import { StagingService } from './staging.service';

@Module({
  imports: [DataModelsModule, ProvisioningModule, RemotesModule],
  controllers: [BranchesController, BranchListController],
  providers: [BranchForks, BranchesService, BranchListService, StagingService],
  exports: [BranchForks],
})
export class BranchesModule {}
