import type { DomainSchema } from '../kernel';
import { ResourcePolicy } from './resource-policies/resource-policy.entity';
import { GroupRoleAssignment, RoleAssignment } from './roles/role-assignment.entity';
import { Role } from './roles/role.entity';
import { CreateRoles1700400000000 } from './migrations/pre-deploy/1700400000000-CreateRoles.migration';

/** What the control plane keeps about rights. */
export const rightsSchema = {
  entities: [Role, RoleAssignment, GroupRoleAssignment, ResourcePolicy],
  migrations: [CreateRoles1700400000000],
} satisfies DomainSchema;
