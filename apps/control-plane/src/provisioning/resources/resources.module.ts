import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { PeopleDomain } from '../../people';
import { RightsDomain } from '../../rights';
import { TenancyDomain } from '../../tenancy';
import { ProvisioningSettingsModule } from '../provisioning-settings/provisioning-settings.module';
import { CustomAttributes } from './custom-attributes.service';
import { ProvisionedGroupsRepository } from './provisioned-groups.repository';
import { ProvisionedGroupsService } from './provisioned-groups.service';
import { ProvisionedUsersRepository } from './provisioned-users.repository';
import { ProvisionedUsersService } from './provisioned-users.service';
import { ProvisioningSwitch } from './provisioning-switch';
import { ProvisioningController } from './provisioning.controller';

@Module({
  imports: [KernelModule, TenancyDomain, PeopleDomain, RightsDomain, ProvisioningSettingsModule],
  controllers: [ProvisioningController],
  providers: [
    ProvisioningSwitch,
    ProvisionedUsersService,
    ProvisionedGroupsService,
    ProvisionedUsersRepository,
    ProvisionedGroupsRepository,
    CustomAttributes,
  ],
})
export class ResourcesModule {}
