import { AppError } from '@plinth/errors';
import type { Principal } from './principal';

/** Whether the credential's scope covers the deployment (specification, "Authentication" 5). */
export const reachesDeployment = (principal: Principal, deploymentId: number): boolean =>
  principal.deploymentIds === null || principal.deploymentIds.includes(deploymentId);

const holdsAction = (principal: Principal, action: string, deploymentId?: number): boolean =>
  principal.isAdmin ||
  principal.grants.some(
    (grant) =>
      (grant.action === action || grant.action === 'All') &&
      (grant.deploymentIds === null || deploymentId === undefined || grant.deploymentIds.includes(deploymentId)),
  );

/** Whether the principal may perform the action, on the deployment when one is given. */
export const hasAccess = (principal: Principal, action: string, deploymentId?: number): boolean =>
  (deploymentId === undefined || reachesDeployment(principal, deploymentId)) &&
  holdsAction(principal, action, deploymentId);

/**
 * Refuses a principal that may not perform `permission`: an action name, or `admin`, `self`, `public` of the
 * contract's `x-permission`.
 *
 * @throws AppError `access.deployment_out_of_scope` (403) when the credential is limited to other deployments,
 *   `auth.credential_missing` (401) for an anonymous caller, `access.denied` (403) otherwise.
 */
export function requireAccess(principal: Principal, permission: string, deploymentId?: number): void {
  if (permission === 'public') return;
  if (principal.kind === 'anonymous') {
    throw new AppError('auth.credential_missing', 'Send a credential in the Authorization header');
  }
  if (deploymentId !== undefined && !reachesDeployment(principal, deploymentId)) {
    throw new AppError('access.deployment_out_of_scope', 'This credential is limited to other deployments');
  }
  if (permission === 'self' || principal.isAdmin) return;
  if (permission === 'admin') throw new AppError('access.denied', 'Only an administrator may do this');
  if (!holdsAction(principal, permission, deploymentId)) {
    throw new AppError('access.denied', `This needs the permission ${permission}`);
  }
}

/** Refuses a credential that is limited to some deployments where the operation concerns the whole account. */
export function requireUnscoped(principal: Principal): void {
  if (principal.deploymentIds !== null) {
    throw new AppError('access.deployment_out_of_scope', 'A credential limited to deployments may not do this');
  }
}
