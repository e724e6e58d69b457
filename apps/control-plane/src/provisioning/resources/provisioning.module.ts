import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { ProvisioningSettingsModule } from '../provisioning-settings/provisioning-settings.module';
import { RolesModule } from '../../rights/roles/roles.module';
import { TenantAddressesModule } from '../../tenancy/tenants/tenant-addresses.module';
import { TenantSettingsRepository } from '../../tenancy/tenant-settings/tenant-settings.repository';
import { UserAttributeValuesRepository } from '../../people/user-attributes/user-attribute-values.repository';
import { UserAttributesRepository } from '../../people/user-attributes/user-attributes.repository';
import { UserGroupsModule } from '../../people/user-groups/user-groups.module';
import { UsersModule } from '../../people/users/users.module';
import { CustomAttributes } from './custom-attributes.service';
import { ProvisionedGroupsRepository } from './provisioned-groups.repository';
import { ProvisionedGroupsService } from './provisioned-groups.service';
import { ProvisionedUsersRepository } from './provisioned-users.repository';
import { ProvisionedUsersService } from './provisioned-users.service';
import { ProvisioningSwitch } from './provisioning-switch';
import { ProvisioningController } from './provisioning.controller';

@Module({
  imports: [
    AccessModule,
    RolesModule,
    UsersModule,
    UserGroupsModule,
    TenantAddressesModule,
    ProvisioningSettingsModule,
  ],
  controllers: [ProvisioningController],
  providers: [
    ProvisioningSwitch,
    ProvisionedUsersService,
    ProvisionedGroupsService,
    ProvisionedUsersRepository,
    ProvisionedGroupsRepository,
    CustomAttributes,
    TenantSettingsRepository,
    UserAttributesRepository,
    UserAttributeValuesRepository,
  ],
})
export class ProvisioningModule {}
