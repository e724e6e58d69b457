import { deploymentIdOf, type OperationDescription } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import type { Principal } from './principal';
import { requireAccess, requireUnscoped } from './require-access';

/**
 * Refuses a principal that may not call an operation, by what the contract declares of it and by the path parameters of
 * the call. A deployment id that is no number is left to whoever validates the call.
 *
 * @throws AppError `access.credential_not_accepted` (403) for a kind of credential that is not accepted here, and as
 *   {@link requireAccess} and {@link requireUnscoped} do.
 */
export function authorize(principal: Principal, operation: OperationDescription, path: unknown): void {
  const { permission, scope, credentials } = operation.access;
  requireKind(principal, credentials);
  requireAccess(principal, permission, deploymentIdOf(operation, path));
  if (scope === 'account') requireUnscoped(principal);
}

function requireKind({ kind }: Principal, accepted: readonly string[]): void {
  if (kind === 'system' || kind === 'anonymous' || accepted.includes(kind)) return;
  throw new AppError('access.credential_not_accepted', 'This kind of credential is not accepted here');
}
