import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';

/** The deployments on which the principal may perform the action; null for all of the tenant. */
export function visibleDeployments(principal: Principal, action: string): readonly number[] | null {
  const scope = principal.deploymentIds;
  if (principal.isAdmin) return scope;
  const grants = principal.grants.filter((grant) => grant.action === action || grant.action === 'All');
  if (grants.some(({ deploymentIds }) => deploymentIds === null)) return scope;
  const granted = [...new Set(grants.flatMap(({ deploymentIds }) => deploymentIds ?? []))];
  return scope === null ? granted : granted.filter((id) => scope.includes(id));
}

export const deploymentNotFound = (): AppError => new AppError('deployment.not_found', 'There is no such deployment');
