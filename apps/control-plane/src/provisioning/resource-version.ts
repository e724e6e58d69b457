import { AppError } from '@plinth/errors';

interface Versioned {
  updatedAt: Date;
}

/** Entity tag of a resource: every change moves it. */
export const versionOf = ({ updatedAt }: Versioned): string => `W/"${updatedAt.getTime()}"`;

/** A moment after the last change, so that two changes never share a version. */
export const nextMoment = ({ updatedAt }: Versioned): Date => new Date(Math.max(Date.now(), updatedAt.getTime() + 1));

/** @throws AppError `scim.version_conflict` (412) when the client has seen another version. */
export function requireVersion(resource: Versioned, wanted: string | undefined): void {
  const accepted = (wanted ?? '*').split(',').map((each) => each.trim().replace(/^W\//, ''));
  if (accepted.includes('*') || accepted.includes(versionOf(resource).slice(2))) return;
  throw new AppError('scim.version_conflict', 'The resource has changed since that version');
}
