import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { UsersService } from './users.service';

@Controller()
export class UsersController implements Operations<'scim', 'SCIM Users'> {
  constructor(private readonly users: UsersService) {}

  @Operation('listScimUsers')
  listScimUsers({ principal, query }: Call<'listScimUsers'>) {
    return this.users.list(principal, query);
  }

  @Operation('searchScimUsers')
  searchScimUsers({ principal, body }: Call<'searchScimUsers'>) {
    return this.users.search(principal, body);
  }

  @Operation('getScimUser')
  getScimUser({ principal, path, query }: Call<'getScimUser'>) {
    return this.users.get(principal, path.id, query);
  }

  @Operation('createScimUser')
  createScimUser({ principal, query, body }: Call<'createScimUser'>) {
    return this.users.create(principal, body, query);
  }

  @Operation('replaceScimUser')
  replaceScimUser({ principal, path, query, body, headers }: Call<'replaceScimUser'>) {
    return this.users.replace(principal, path.id, body, query, headers);
  }

  @Operation('patchScimUser')
  patchScimUser({ principal, path, query, body, headers }: Call<'patchScimUser'>) {
    return this.users.patch(principal, path.id, body, query, headers);
  }

  @Operation('deleteScimUser')
  deleteScimUser({ principal, path, headers }: Call<'deleteScimUser'>) {
    return this.users.delete(principal, path.id, headers);
  }
}
