import { hasAccess } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { QueryCaller } from '@plinth/queries';

/** @throws AppError `access.denied` (403) without the permission, `data.download_restricted` (403) where nobody may. */
export function requireDownload({ principal, deploymentId, isDownloadRestricted }: QueryCaller): void {
  if (!hasAccess(principal, 'DownloadData', deploymentId)) {
    throw new AppError('access.denied', 'This needs the permission DownloadData');
  }
  if (isDownloadRestricted) throw downloadRestricted();
}

export const downloadRestricted = (): AppError =>
  new AppError('data.download_restricted', 'The account does not let data be downloaded');
