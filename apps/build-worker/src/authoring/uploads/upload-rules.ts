import { requireAccess, type Principal } from '@plinth/auth';
import { AppError, invalidRequest } from '@plinth/errors';
import { type Branch, type RepositorySettings, requireOwner } from '../../data-models';
import type { Upload } from './upload.entity';

const unknownUpload = (): AppError =>
  new AppError('upload.not_found', 'There is no such upload: it was never started, or it was not finished in time');

/** An upload belongs to the user who started it, whatever credential is used. @throws AppError `upload.not_found` (404) */
export function requireOwnUpload(principal: Principal, upload: Upload | null): Upload {
  const own =
    upload?.ownerUserId === null
      ? upload.ownerCredentialId === principal.credentialId
      : upload?.ownerUserId === principal.userId;
  if (upload && (own || principal.isAdmin)) return upload;
  throw unknownUpload();
}

/**
 * Uploads reach shared branches too, unlike single files.
 *
 * @throws AppError `access.denied` or `branch.not_owner` (403), `branch.protected` (400)
 */
export function requireUploadTarget(principal: Principal, branch: Branch, settings: RepositorySettings): void {
  const { deploymentId, deployBranchReadOnly } = settings;
  requireAccess(principal, branch.kind === 'deploy' ? 'SchemaUpdate' : 'SchemaUpdateDevBranches', deploymentId);
  requireOwner(principal, branch);
  if (branch.kind === 'deploy' && deployBranchReadOnly) {
    throw new AppError('branch.protected', `The deploy branch ${branch.name} is read-only`);
  }
}

/** The id in the text part of a form, which holds the transaction as JSON. @throws AppError `request.invalid` (400) */
export function transactionId(json: string): string {
  let transaction: unknown;
  try {
    transaction = JSON.parse(json);
  } catch {
    throw invalidRequest('/body/transaction', 'is not JSON');
  }
  const id =
    typeof transaction === 'object' && transaction !== null && 'id' in transaction ? transaction.id : transaction;
  if (typeof id === 'string') return id;
  throw invalidRequest('/body/transaction', 'has no id');
}
