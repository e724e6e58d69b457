import { isReservedRoleName, type Policy } from '@plinth/auth';
import { AppError, invalidRequest } from '@plinth/errors';

const deploymentId = /^[1-9][0-9]{0,14}$/;

/** @throws AppError `role.name_reserved` (400) for the name of a built-in role. */
export function checkName(name: string): void {
  if (isReservedRoleName(name)) throw new AppError('role.name_reserved', `${name} is the name of a built-in role`);
  if (name.trim() !== name) throw invalidRequest('/body/name', 'must not begin or end with a space');
  if (name.includes('\0')) throw invalidRequest('/body/name', 'must not hold a null character');
}

/**
 * Deployments are named by id or are all of them; whether they exist is not asked.
 *
 * @throws AppError `request.invalid` (400).
 */
export function checkPolicies(policies: readonly Policy[]): void {
  for (const [index, { resourceType, resources }] of policies.entries()) {
    if (resourceType !== 'Deployment') continue;
    const wrong = resources.findIndex((resource) => resource !== 'All' && !deploymentId.test(resource));
    if (wrong < 0) continue;
    throw invalidRequest(`/body/policies/${index}/resources/${wrong}`, 'must be the id of a deployment, or All');
  }
}
