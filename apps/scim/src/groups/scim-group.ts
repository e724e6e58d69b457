import type { Schemas } from '@plinth/contract';
import { GROUP } from '@plinth/scim-protocol';
import { metaOf } from '../resources/selection';

/** The group as the protocol writes one; with members only where they were read. */
export function toScimGroup(group: Schemas['ProvisionedGroup']): Schemas['ScimResource'] {
  const base = `${group.baseUrl}/api/scim/v2`;
  const members = group.members?.map((member) => toScimMember(group.baseUrl, member));
  return {
    schemas: [GROUP],
    id: String(group.id),
    displayName: group.displayName,
    ...(group.externalId !== null && { externalId: group.externalId }),
    ...(members && { members }),
    meta: metaOf('Group', `${base}/Groups/${group.id}`, group),
  };
}

/** A member as the protocol writes one. */
export const toScimMember = (baseUrl: string, { id, display }: Schemas['ProvisionedMember']) => ({
  value: String(id),
  $ref: `${baseUrl}/api/scim/v2/Users/${id}`,
  display,
  type: 'User',
});
