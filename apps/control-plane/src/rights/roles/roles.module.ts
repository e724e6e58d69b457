import { Module } from '@nestjs/common';
import { AccessModule } from '../effective-policies/effective-policies.module';
import { UserGroupsRepository } from '../../people/user-groups/user-groups.repository';
import { RoleAssignmentsService } from './role-assignments.service';
import { RolesController } from './roles.controller';
import { RolesRepository } from './roles.repository';
import { RolesService } from './roles.service';

@Module({
  imports: [AccessModule],
  controllers: [RolesController],
  providers: [RolesService, RoleAssignmentsService, RolesRepository, UserGroupsRepository],
  exports: [RolesRepository],
})
export class RolesModule {}
