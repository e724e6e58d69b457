import { Controller } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { GroupsService } from './groups.service';

@Controller()
export class GroupsController implements Operations<'scim', 'SCIM Groups'> {
  constructor(private readonly groups: GroupsService) {}

  @Operation('listScimGroups')
  listScimGroups({ principal, query }: Call<'listScimGroups'>) {
    return this.groups.list(principal, query);
  }

  @Operation('searchScimGroups')
  searchScimGroups({ principal, body }: Call<'searchScimGroups'>) {
    return this.groups.search(principal, body);
  }

  @Operation('getScimGroup')
  getScimGroup({ principal, path, query }: Call<'getScimGroup'>) {
    return this.groups.get(principal, path.id, query);
  }

  @Operation('createScimGroup')
  createScimGroup({ principal, query, body }: Call<'createScimGroup'>) {
    return this.groups.create(principal, body, query);
  }

  @Operation('replaceScimGroup')
  replaceScimGroup({ principal, path, query, body, headers }: Call<'replaceScimGroup'>) {
    return this.groups.replace(principal, path.id, body, query, headers);
  }

  @Operation('patchScimGroup')
  patchScimGroup({ principal, path, query, body, headers }: Call<'patchScimGroup'>) {
    return this.groups.patch(principal, path.id, body, query, headers);
  }

  @Operation('deleteScimGroup')
  deleteScimGroup({ principal, path, headers }: Call<'deleteScimGroup'>) {
    return this.groups.delete(principal, path.id, headers);
  }
}
