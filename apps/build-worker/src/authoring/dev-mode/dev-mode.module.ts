import { Module } from '@nestjs/common';
import { DataModelsModule } from '../../data-models';
import { ProvisioningModule } from '../../provisioning';
import { BranchesModule } from '../branches/branches.module';
import { DevModeController } from './dev-mode.controller';
import { DevModeService } from './dev-mode.service';

@Module({
  imports: [DataModelsModule, ProvisioningModule, BranchesModule],
  controllers: [DevModeController],
  providers: [DevModeService],
})
export class DevModeModule {}
