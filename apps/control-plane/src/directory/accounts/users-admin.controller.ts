import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { BulkUserActions } from './bulk-user-actions.service';
import { UserPasswordLinks } from '../../sign-in';
import { UsersAdminService } from './users-admin.service';

@Controller()
export class UsersAdminController implements Operations<'control-plane', 'Users Admin'> {
  constructor(
    private readonly users: UsersAdminService,
    private readonly bulk: BulkUserActions,
    private readonly links: UserPasswordLinks,
  ) {}

  @Operation('getUsers')
  getUsers({ principal, query }: Call<'getUsers'>) {
    return this.users.list(principal, query);
  }

  @Operation('createUser')
  createUser({ principal, body }: Call<'createUser'>) {
    return this.users.create(principal, body);
  }

  @Operation('updateUser')
  updateUser({ principal, path, body }: Call<'updateUser'>) {
    return this.users.update(principal, path.id, body);
  }

  @Operation('deleteUser')
  deleteUser({ principal, path }: Call<'deleteUser'>) {
    return this.users.delete(principal, path.id);
  }

  @Operation('bulkUserAction')
  bulkUserAction({ principal, body }: Call<'bulkUserAction'>) {
    return this.bulk.run(principal, body);
  }

  @Operation('inviteUser')
  inviteUser({ principal, path }: Call<'inviteUser'>) {
    return this.links.invite(principal, path.id);
  }

  @Operation('resetUserPassword')
  resetUserPassword({ principal, path, body }: Call<'resetUserPassword'>) {
    return this.links.resetPassword(principal, path.id, body);
  }
}
