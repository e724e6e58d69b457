import { Module } from '@nestjs/common';
import { DiscoveryController } from './discovery/discovery.controller';
import { DiscoveryService } from './discovery/discovery.service';
import { GroupMembers } from './groups/group-members.service';
import { GroupsController } from './groups/groups.controller';
import { GroupsService } from './groups/groups.service';
import { UsersController } from './users/users.controller';
import { UsersService } from './users/users.service';

@Module({
  controllers: [DiscoveryController, UsersController, GroupsController],
  providers: [DiscoveryService, UsersService, GroupsService, GroupMembers],
})
export class ScimModule {}
