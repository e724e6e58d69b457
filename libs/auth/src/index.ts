export {
  actionNames,
  actions,
  describeAction,
  type Action,
  type ActionDescription,
  type ActionLevel,
  type Policy,
} from './actions';
export { authorize } from './authorize';
export { builtInPolicies, builtInRoles, isReservedRoleName, type BuiltInRole } from './built-in-roles';
export { clientNetwork } from './client-network';
export { embedGrants } from './embed-grants';
export { grantsOf } from './grants';
export { isLasting, lastingPrincipal } from './lasting-principal';
export {
  anonymousPrincipal,
  systemPrincipal,
  type EmbedCaller,
  type Grant,
  type Principal,
  type TokenAsker,
} from './principal';
export { hasAccess, requireAccess, requireUnscoped, visibleDeployments } from './require-access';
