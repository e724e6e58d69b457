import type { Permission } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { describeAction, type Action } from './actions';
import type { Principal } from './principal';

/** Whether the credential's scope covers the deployment (specification, "Authentication" 5). */
const reachesDeployment = (principal: Principal, deploymentId: number): boolean =>
  principal.deploymentIds === null || principal.deploymentIds.includes(deploymentId);

/** The deployments on which the principal may perform the action; null for all of the tenant. */
export function visibleDeployments(principal: Principal, action: Action): readonly number[] | null {
  const scope = principal.deploymentIds;
  if (principal.isAdmin) return scope;
  const grants = principal.grants.filter((grant) => covers(grant.action, action));
  if (grants.some(({ deploymentIds }) => deploymentIds === null)) return scope;
  const granted = [...new Set(grants.flatMap(({ deploymentIds }) => deploymentIds ?? []))];
  return scope === null ? granted : granted.filter((id) => scope.includes(id));
}

/** Whether the principal may perform the action, on the deployment when one is given, on any otherwise. */
export const hasAccess = (principal: Principal, action: Action, deploymentId?: number): boolean =>
  (deploymentId === undefined || reachesDeployment(principal, deploymentId)) &&
  (principal.isAdmin || mayPerform(principal, action, deploymentId));

/**
 * Refuses a principal that may not do what the contract's `x-permission` says. Of an action on a thing inside a
 * deployment this checks what can be said without the thing; the service that owns it decides.
 *
 * @throws AppError `access.deployment_out_of_scope` (403) when the credential is limited to other deployments,
 *   `auth.credential_missing` (401) for an anonymous caller, `access.no_licence` (403) for a user without a licence
 *   tier, `access.denied` (403) otherwise.
 */
export function requireAccess(principal: Principal, permission: Permission, deploymentId?: number): void {
  if (permission === 'public') return;
  if (principal.kind === 'anonymous') {
    throw new AppError('auth.credential_missing', 'Send a credential in the Authorization header');
  }
  if (permission === 'system') return requirePlatform(principal);
  if (deploymentId !== undefined && !reachesDeployment(principal, deploymentId)) {
    throw new AppError('access.deployment_out_of_scope', 'This credential is limited to other deployments');
  }
  if (permission !== 'signed-in' && !principal.isAdmin) requireGrant(principal, permission, deploymentId);
}

/** Refuses a credential that is limited to some deployments where the operation concerns the whole account. */
export function requireUnscoped(principal: Principal): void {
  if (principal.deploymentIds !== null) {
    throw new AppError('access.deployment_out_of_scope', 'A credential limited to deployments may not do this');
  }
}

function requirePlatform({ kind }: Principal): void {
  if (kind !== 'system') throw new AppError('access.denied', 'Only the platform itself may do this');
}

function requireGrant(
  principal: Principal,
  permission: Exclude<Permission, 'signed-in' | 'public' | 'system'>,
  deploymentId?: number,
): void {
  if (principal.grants.length === 0) {
    throw new AppError('access.no_licence', 'None of your roles has a licence tier: ask an administrator for one');
  }
  if (permission === 'admin') throw new AppError('access.denied', 'Only an administrator may do this');
  if (permission !== 'self' && !mayPerform(principal, permission, deploymentId)) throw lacks(permission);
  if (deploymentId !== undefined && !opens(principal, permission, deploymentId)) throw lacks('DeploymentRead');
}

function mayPerform(principal: Principal, action: Action, deploymentId?: number): boolean {
  const { level, tier } = describeAction(action);
  return level === 'resource' && tier ? holds(principal, tier) : holds(principal, action, deploymentId);
}

/** A grant of an action on a deployment implies that the deployment is open; nothing else does. */
const opens = (principal: Principal, permission: Action | 'self', deploymentId: number): boolean =>
  (permission !== 'self' && describeAction(permission).level === 'deployment') ||
  holds(principal, 'DeploymentRead', deploymentId);

const holds = (principal: Principal, action: Action, deploymentId?: number): boolean =>
  principal.grants.some(
    (grant) =>
      covers(grant.action, action) &&
      (grant.deploymentIds === null || deploymentId === undefined || grant.deploymentIds.includes(deploymentId)),
  );

const covers = (granted: string, action: Action): boolean =>
  granted === action || (granted === 'All' && describeAction(action).level !== 'global');

const lacks = (action: Action): AppError => new AppError('access.denied', `This needs the permission ${action}`);
