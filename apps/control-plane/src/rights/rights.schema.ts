import { CreateRoles1700400000000 } from './migrations/pre-deploy/1700400000000-CreateRoles.migration';
import { AllowPersonalApiKeys1700410000001 } from '../tenancy/migrations/pre-deploy/1700410000001-AllowPersonalApiKeys.migration';
import { ResourcePolicy } from './resource-policies/resource-policy.entity';
import { GroupRoleAssignment, RoleAssignment } from './roles/role-assignment.entity';
import { Role } from './roles/role.entity';

/** What the control plane keeps about rights. */
export const accessEntities = [Role, RoleAssignment, GroupRoleAssignment, ResourcePolicy];

export const accessMigrations = [CreateRoles1700400000000, AllowPersonalApiKeys1700410000001];
