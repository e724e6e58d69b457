export { anonymousPrincipal, systemPrincipal, type Grant, type Principal } from './principal';
export { hasAccess, reachesDeployment, requireAccess, requireUnscoped } from './require-access';
