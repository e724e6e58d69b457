/**
 * Entity tag of a resource (RFC 7644, section 3.14): the moment of its last change, in milliseconds, which every change
 * moves.
 */
export const versionOf = (lastModified: Date): string => `W/"${lastModified.getTime()}"`;

/**
 * Whether a resource of that version may be changed under the condition of an `If-Match` header: a list of entity tags,
 * weak or strong, or `*`. Without a condition it may.
 */
export function isAcceptedVersion(version: string, condition: string | undefined): boolean {
  const accepted = (condition ?? '*').split(',').map(opaqueTag);
  return accepted.includes('*') || accepted.includes(opaqueTag(version));
}

const opaqueTag = (tag: string): string => tag.trim().replace(/^W\//, '');
