import { CreateRoles1700400000000 } from './migrations/pre-deploy/1700400000000-CreateRoles.migration';
import { ResourcePolicy } from './resource-policies/resource-policy.entity';
import { GroupRoleAssignment, RoleAssignment } from './roles/role-assignment.entity';
import { Role } from './roles/role.entity';
import { TenantSetting } from './tenants/tenant-setting.entity';

/** What the control plane keeps about rights. */
export const accessEntities = [Role, RoleAssignment, GroupRoleAssignment, ResourcePolicy, TenantSetting];

export const accessMigrations = [CreateRoles1700400000000];
