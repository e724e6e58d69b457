export { EffectivePoliciesRepository, type HeldRole } from './effective-policies/effective-policies.repository';
export { EffectivePolicies } from './effective-policies/effective-policies.service';
export { RightsDomain } from './rights.module';
export { rightsSchema } from './rights.schema';
export { FirstRoles, isAdminIn } from './roles/first-roles.service';
export { isAdminRole, Role } from './roles/role.entity';
export { RolesRepository } from './roles/roles.repository';
