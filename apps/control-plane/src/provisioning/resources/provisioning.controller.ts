import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { ProvisionedGroupsService } from './provisioned-groups.service';
import { ProvisionedUsersService } from './provisioned-users.service';
import { ProvisioningSwitch } from './provisioning-switch';

@Controller()
export class ProvisioningController implements Operations<'control-plane', 'Provisioning'> {
  constructor(
    private readonly provisioning: ProvisioningSwitch,
    private readonly users: ProvisionedUsersService,
    private readonly groups: ProvisionedGroupsService,
  ) {}

  @Operation('locateProvisioning')
  locateProvisioning({ principal }: Call<'locateProvisioning'>) {
    return this.provisioning.locate(principal);
  }

  @Operation('findProvisionedUsers')
  findProvisionedUsers({ principal, body }: Call<'findProvisionedUsers'>) {
    return this.users.find(principal, body);
  }

  @Operation('getProvisionedUser')
  getProvisionedUser({ principal, body }: Call<'getProvisionedUser'>) {
    return this.users.get(principal, body);
  }

  @Operation('createProvisionedUser')
  createProvisionedUser({ principal, body }: Call<'createProvisionedUser'>) {
    return this.users.create(principal, body);
  }

  @Operation('replaceProvisionedUser')
  replaceProvisionedUser({ principal, body }: Call<'replaceProvisionedUser'>) {
    return this.users.replace(principal, body);
  }

  @Operation('patchProvisionedUser')
  patchProvisionedUser({ principal, body }: Call<'patchProvisionedUser'>) {
    return this.users.patch(principal, body);
  }

  @Operation('deleteProvisionedUser')
  deleteProvisionedUser({ principal, body }: Call<'deleteProvisionedUser'>) {
    return this.users.delete(principal, body);
  }

  @Operation('findProvisionedGroups')
  findProvisionedGroups({ principal, body }: Call<'findProvisionedGroups'>) {
    return this.groups.find(principal, body);
  }

  @Operation('getProvisionedGroup')
  getProvisionedGroup({ principal, body }: Call<'getProvisionedGroup'>) {
    return this.groups.get(principal, body);
  }

  @Operation('listProvisionedMembers')
  listProvisionedMembers({ principal, body }: Call<'listProvisionedMembers'>) {
    return this.groups.listMembers(principal, body);
  }

  @Operation('createProvisionedGroup')
  createProvisionedGroup({ principal, body }: Call<'createProvisionedGroup'>) {
    return this.groups.create(principal, body);
  }

  @Operation('replaceProvisionedGroup')
  replaceProvisionedGroup({ principal, body }: Call<'replaceProvisionedGroup'>) {
    return this.groups.replace(principal, body);
  }

  @Operation('patchProvisionedGroup')
  patchProvisionedGroup({ principal, body }: Call<'patchProvisionedGroup'>) {
    return this.groups.patch(principal, body);
  }

  @Operation('deleteProvisionedGroup')
  deleteProvisionedGroup({ principal, body }: Call<'deleteProvisionedGroup'>) {
    return this.groups.delete(principal, body);
  }
}
