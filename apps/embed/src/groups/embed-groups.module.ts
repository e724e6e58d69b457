import { Module } from '@nestjs/common';
import { SessionNoticesModule } from '../session-notices';
import { EmbedTenantsModule } from '../tenants';
import { EmbedUsersModule } from '../users';
import { EmbedGroupsController } from './embed-groups.controller';
import { EmbedGroupsRepository } from './embed-groups.repository';
import { EmbedGroupsService } from './embed-groups.service';
import { GroupMembersService } from './group-members.service';

@Module({
  imports: [EmbedTenantsModule, EmbedUsersModule, SessionNoticesModule],
  controllers: [EmbedGroupsController],
  providers: [EmbedGroupsService, GroupMembersService, EmbedGroupsRepository],
  exports: [EmbedGroupsRepository],
})
export class EmbedGroupsModule {}
