import { AppError } from '@plinth/errors';
import { isAcceptedVersion } from '@plinth/scim-protocol';

interface Versioned {
  updatedAt: Date;
}

/** A moment after the last change, so that two changes never share a version. */
export const nextMoment = ({ updatedAt }: Versioned): Date => new Date(Math.max(Date.now(), updatedAt.getTime() + 1));

/** @throws AppError `scim.version_conflict` (412) when the client has seen another version. */
export function requireVersion(version: string, condition: string | undefined): void {
  if (isAcceptedVersion(version, condition)) return;
  throw new AppError('scim.version_conflict', 'The resource has changed since that version');
}
