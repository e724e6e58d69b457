import { Controller, UseGuards } from '@nestjs/common';
import { Operation, type Call, type Operations } from '@plinth/messaging';
import { EmbeddingGuard } from '../grants';
import { EmbedGroupsService } from './embed-groups.service';
import { GroupMembersService } from './group-members.service';

type Served =
  | 'getGroups'
  | 'createGroup'
  | 'getGroup'
  | 'updateGroup'
  | 'deleteGroup'
  | 'getGroupMembers'
  | 'addGroupMembers'
  | 'removeGroupMembers';

@Controller()
@UseGuards(EmbeddingGuard)
export class EmbedGroupsController implements Pick<Operations<'embed', 'Embed Tenants'>, Served> {
  constructor(
    private readonly groups: EmbedGroupsService,
    private readonly members: GroupMembersService,
  ) {}

  @Operation('getGroups')
  getGroups({ principal, path, query }: Call<'getGroups'>) {
    return this.groups.list(principal, path.embedTenantName, query);
  }

  @Operation('createGroup')
  createGroup({ principal, path, body }: Call<'createGroup'>) {
    return this.groups.create(principal, path.embedTenantName, body);
  }

  @Operation('getGroup')
  getGroup({ principal, path }: Call<'getGroup'>) {
    return this.groups.get(principal, path.embedTenantName, path.id);
  }

  @Operation('updateGroup')
  updateGroup({ principal, path, body }: Call<'updateGroup'>) {
    return this.groups.update(principal, path.embedTenantName, path.id, body);
  }

  @Operation('deleteGroup')
  deleteGroup({ principal, path }: Call<'deleteGroup'>) {
    return this.groups.delete(principal, path.embedTenantName, path.id);
  }

  @Operation('getGroupMembers')
  getGroupMembers({ principal, path, query }: Call<'getGroupMembers'>) {
    return this.members.list(principal, path, query);
  }

  @Operation('addGroupMembers')
  addGroupMembers({ principal, path, body }: Call<'addGroupMembers'>) {
    return this.members.add(principal, path, body);
  }

  @Operation('removeGroupMembers')
  removeGroupMembers({ principal, path, body }: Call<'removeGroupMembers'>) {
    return this.members.remove(principal, path, body);
  }
}
