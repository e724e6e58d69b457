import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { RolesService } from './roles.service';

@Controller()
export class RolesController implements Operations<'control-plane', 'Roles'> {
  constructor(private readonly roles: RolesService) {}

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
    return this.roles.assign(principal, path);
  }

  @Operation('removeRoleFromUser')
  removeRoleFromUser({ principal, path }: Call<'removeRoleFromUser'>) {
    return this.roles.unassign(principal, path);
  }
}
