export { DataModelsService } from './data-models.service';
export { ProvisioningModule } from './provisioning.module';
export { ProvisioningService } from './provisioning.service';
export { starterProject } from './starter-project';
