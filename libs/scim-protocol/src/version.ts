import { createHash } from 'node:crypto';

/**
 * Entity tag of a resource (RFC 7644, section 3.14): the moment of its last change, in milliseconds, which every change of
 * its own moves, and a digest of what is shown of others.
 *
 * @param others - lists of what the resource shows and does not own, each in a stable order.
 */
export function versionOf(lastModified: Date, ...others: readonly (readonly unknown[])[]): string {
  const moment = lastModified.getTime();
  if (others.every(({ length }) => length === 0)) return `W/"${moment}"`;
  const digest = createHash('sha256').update(JSON.stringify(others)).digest('base64url').slice(0, 16);
  return `W/"${moment}-${digest}"`;
}

/**
 * Whether a resource of that version may be changed under the condition of an `If-Match` header: a list of entity tags,
 * weak or strong, or `*`. Without a condition it may.
 */
export function isAcceptedVersion(version: string, condition: string | undefined): boolean {
  const accepted = (condition ?? '*').split(',').map(opaqueTag);
  return accepted.includes('*') || accepted.includes(opaqueTag(version));
}

const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, '');
