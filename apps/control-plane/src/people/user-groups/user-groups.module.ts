import { Module } from '@nestjs/common';
import { AccessModule } from '../../rights/effective-policies/effective-policies.module';
import { UsersModule } from '../users/users.module';
import { UserGroupMembersRepository } from './user-group-members.repository';
import { UserGroupMembersService } from './user-group-members.service';
import { UserGroupsController } from './user-groups.controller';
import { UserGroupsRepository } from './user-groups.repository';
import { UserGroupsService } from './user-groups.service';

@Module({
  imports: [AccessModule, UsersModule],
  controllers: [UserGroupsController],
  providers: [UserGroupsService, UserGroupMembersService, UserGroupsRepository, UserGroupMembersRepository],
  exports: [UserGroupsRepository, UserGroupMembersRepository],
})
export class UserGroupsModule {}
