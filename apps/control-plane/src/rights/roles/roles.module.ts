import { Module } from '@nestjs/common';
import { KernelModule } from '../../kernel';
import { PeopleDomain } from '../../people';
import { FirstRoles } from './first-roles.service';
import { RoleAssignmentsService } from './role-assignments.service';
import { RolesController } from './roles.controller';
import { RolesRepository } from './roles.repository';
import { RolesService } from './roles.service';

@Module({
  imports: [KernelModule, PeopleDomain],
  controllers: [RolesController],
  providers: [RolesService, RoleAssignmentsService, FirstRoles, RolesRepository],
  exports: [FirstRoles, RolesRepository],
})
export class RolesModule {}
