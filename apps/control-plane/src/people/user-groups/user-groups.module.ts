import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { UserLifecycle } from '../users/user-lifecycle.service';
import { UsersModule } from '../users/users.module';
import { UserGroupMembersRepository } from './user-group-members.repository';
import { UserGroupMembersService } from './user-group-members.service';
import { UserGroupsController } from './user-groups.controller';
import { UserGroupsRepository } from './user-groups.repository';
import { UserGroupsService } from './user-groups.service';

@Module({
  imports: [KernelModule, UsersModule],
  controllers: [UserGroupsController],
  providers: [UserGroupsService, UserGroupMembersService, UserGroupsRepository, UserGroupMembersRepository],
  exports: [UserGroupsRepository, UserGroupMembersRepository],
})
export class UserGroupsModule {
  constructor(lifecycle: UserLifecycle, groups: UserGroupsRepository) {
    lifecycle.register({ onDelete: (tx, userId) => groups.touchOfUser(tx, userId) });
  }
}
