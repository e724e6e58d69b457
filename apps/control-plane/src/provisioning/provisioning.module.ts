import { Module } from '@nestjs/common';
import { ProvisioningSettingsModule } from './provisioning-settings/provisioning-settings.module';
import { ResourcesModule } from './resources/resources.module';
import { ScimRequestsModule } from './scim-requests/scim-requests.module';

@Module({ imports: [ProvisioningSettingsModule, ResourcesModule, ScimRequestsModule] })
export class ProvisioningDomain {}
