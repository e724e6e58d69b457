import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { RoleAssignmentsService } from './role-assignments.service';
import { RolesService } from './roles.service';

@Controller()
export class RolesController implements Operations<'control-plane', 'Roles'> {
  constructor(
    private readonly roles: RolesService,
    private readonly assignments: RoleAssignmentsService,
  ) {}

  @Operation('getRoles')
  getRoles({ principal, query }: Call<'getRoles'>) {
    return this.roles.list(principal, query);
  }

  @Operation('createRole')
  createRole({ principal, body }: Call<'createRole'>) {
    return this.roles.create(principal, body);
  }

  @Operation('getRole')
  getRole({ principal, path }: Call<'getRole'>) {
    return this.roles.get(principal, path.roleId);
  }

  @Operation('updateRole')
  updateRole({ principal, path, body }: Call<'updateRole'>) {
    return this.roles.update(principal, path.roleId, body);
  }

  @Operation('deleteRole')
  deleteRole({ principal, path }: Call<'deleteRole'>) {
    return this.roles.delete(principal, path.roleId);
  }

  @Operation('assignRoleToUser')
  assignRoleToUser({ principal, path }: Call<'assignRoleToUser'>) {
    return this.assignments.assignToUser(principal, path);
  }

  @Operation('removeRoleFromUser')
  removeRoleFromUser({ principal, path }: Call<'removeRoleFromUser'>) {
    return this.assignments.removeFromUser(principal, path);
  }

  @Operation('assignRoleToGroup')
  assignRoleToGroup({ principal, path }: Call<'assignRoleToGroup'>) {
    return this.assignments.assignToGroup(principal, path);
  }

  @Operation('removeRoleFromGroup')
  removeRoleFromGroup({ principal, path }: Call<'removeRoleFromGroup'>) {
    return this.assignments.removeFromGroup(principal, path);
  }
}
