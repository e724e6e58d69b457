import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import { isValidBranchName } from '@plinth/git';
import type { Branch } from './branch.entity';

export const DEV_PREFIX = 'dev-';

/** @throws AppError `branch.invalid_name` (400) */
export function requireSharedName(name: string): void {
  const refuse = (reason: string): never => {
    throw new AppError('branch.invalid_name', `${JSON.stringify(name)} cannot be the name of a branch: ${reason}`);
  };
  if (name.startsWith(DEV_PREFIX)) refuse(`names that begin with ${DEV_PREFIX} belong to personal branches`);
  if (!isValidBranchName(name)) refuse('git does not take it');
}

/** Files change on dev branches alone. @throws AppError `branch.not_dev_mode` (400) */
export function requireDevBranch({ name, kind }: Branch): void {
  if (kind === 'dev') return;
  throw new AppError('branch.not_dev_mode', `Branch ${name} is not a dev-mode branch. Enter dev mode to edit it`);
}

/** A dev branch belongs to a user, whatever credential made it. @throws AppError `branch.not_owner` (403) */
export function requireOwner(principal: Principal, branch: Branch): void {
  if (branch.kind !== 'dev' || principal.isAdmin) return;
  const own =
    branch.ownerUserId === null
      ? branch.ownerCredentialId === principal.credentialId
      : branch.ownerUserId === principal.userId;
  if (!own) throw new AppError('branch.not_owner', `The dev branch ${branch.name} belongs to somebody else`);
}
