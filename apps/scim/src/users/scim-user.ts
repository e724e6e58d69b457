import type { Schemas } from '@plinth/contract';
import { CUSTOM, ENTERPRISE, isRecord, USER, type Resource } from '@plinth/scim-protocol';
import { metaOf } from '../resources/selection';

/** The user as the protocol writes one. */
export function toScimUser(user: Schemas['ProvisionedUser']): Schemas['ScimResource'] {
  const base = `${user.baseUrl}/api/scim/v2`;
  const { [USER]: core, [ENTERPRISE]: enterprise, [CUSTOM]: custom } = user.resource as Resource;
  const groups = user.groups.map(({ id, display }) => ({ value: String(id), $ref: `${base}/Groups/${id}`, display }));
  return {
    schemas: [USER, ...(enterprise ? [ENTERPRISE] : []), ...(custom ? [CUSTOM] : [])],
    id: String(user.id),
    ...core,
    ...(enterprise && { [ENTERPRISE]: withManager(enterprise, base) }),
    ...(custom && { [CUSTOM]: custom }),
    ...(groups.length > 0 && { groups }),
    meta: metaOf('User', `${base}/Users/${user.id}`, user),
  };
}

function withManager(enterprise: Record<string, unknown>, base: string): Record<string, unknown> {
  const { manager, ...others } = enterprise;
  if (!isRecord(manager)) return enterprise;
  return { ...others, manager: { ...manager, $ref: `${base}/Users/${String(manager['value'])}` } };
}
