import { Module } from '@nestjs/common';
import { DataModelsModule } from '../data-models';
import { DataModelsService } from './data-models.service';
import { DeployBranches } from './deploy-branches';
import { EventsController } from './events.controller';
import { EventsService } from './events.service';
import { ProvisioningService } from './provisioning.service';

/** Makes data models, at their first use or when control-plane tells of a deployment, and removes them. */
@Module({
  imports: [DataModelsModule],
  controllers: [EventsController],
  providers: [ProvisioningService, DataModelsService, DeployBranches, EventsService],
  exports: [ProvisioningService, DataModelsService],
})
export class ProvisioningModule {}
