import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { UserGroupMembersService } from './user-group-members.service';
import { UserGroupsService } from './user-groups.service';

@Controller()
export class UserGroupsController implements Operations<'control-plane', 'User Groups'> {
  constructor(
    private readonly groups: UserGroupsService,
    private readonly members: UserGroupMembersService,
  ) {}

  @Operation('getUserGroups')
  getUserGroups({ principal, query }: Call<'getUserGroups'>) {
    return this.groups.list(principal, query);
  }

  @Operation('createUserGroup')
  createUserGroup({ principal, body }: Call<'createUserGroup'>) {
    return this.groups.create(principal, body);
  }

  @Operation('getUserGroup')
  getUserGroup({ principal, path }: Call<'getUserGroup'>) {
    return this.groups.get(principal, path.id);
  }

  @Operation('updateUserGroup')
  updateUserGroup({ principal, path, body }: Call<'updateUserGroup'>) {
    return this.groups.update(principal, path.id, body);
  }

  @Operation('deleteUserGroup')
  deleteUserGroup({ principal, path }: Call<'deleteUserGroup'>) {
    return this.groups.delete(principal, path.id);
  }

  @Operation('deleteUserGroupByShortPath')
  deleteUserGroupByShortPath({ principal, path }: Call<'deleteUserGroupByShortPath'>) {
    return this.groups.delete(principal, path.id);
  }

  @Operation('getUserGroupMembers')
  getUserGroupMembers({ principal, path, query }: Call<'getUserGroupMembers'>) {
    return this.members.list(principal, path.id, query);
  }

  @Operation('addUserGroupMembers')
  addUserGroupMembers({ principal, path, body }: Call<'addUserGroupMembers'>) {
    return this.members.add(principal, path.id, body);
  }

  @Operation('removeUserGroupMembers')
  removeUserGroupMembers({ principal, path, body }: Call<'removeUserGroupMembers'>) {
    return this.members.remove(principal, path.id, body);
  }
}
