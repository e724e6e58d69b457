import { ENTERPRISE, USER, type Attributes, type Complex, type Resource } from '@plinth/scim-protocol';
import type { User } from '../../people';

/** What identity providers say of a user beyond the columns of the account, as they said it. */
export type Profile = { [name: string]: unknown };

/** An account with its profile. */
export interface ProfiledUser {
  user: User;
  /** Null for a user whom no identity provider has described. */
  profile: Profile | null;
}

const inColumns = new Set(['userName', 'externalId', 'active']);

/** The user in the words of the protocol, without the facts of the tenant's own. */
export function resourceOf({ user, profile }: ProfiledUser): Resource {
  const { [ENTERPRISE]: enterprise, ...core } = profile ?? profileOfAccount(user);
  return {
    [USER]: {
      userName: user.username,
      ...(user.externalId !== null && { externalId: user.externalId }),
      active: user.deactivatedAt === null,
      ...(core as Attributes),
    },
    ...(enterprise !== undefined && { [ENTERPRISE]: enterprise as Attributes }),
  };
}

/** The columns that follow from what an identity provider says, and the rest of it. */
export function accountOf(resource: Resource): { columns: Partial<User>; profile: Profile } {
  const core = resource[USER] ?? {};
  const name = (core['name'] ?? {}) as Complex;
  const userName = String(core['userName']);
  const kept = Object.entries(core).filter(([key]) => !inColumns.has(key));
  return {
    columns: {
      username: userName,
      externalId: textOf(core['externalId']),
      email: emailOf(core) ?? '',
      firstName: textOf(name['givenName']) ?? textOf(core['displayName']) ?? textOf(name['formatted']),
      lastName: textOf(name['familyName']),
      title: textOf(core['title']),
    },
    profile: { ...Object.fromEntries(kept), ...(resource[ENTERPRISE] && { [ENTERPRISE]: resource[ENTERPRISE] }) },
  };
}

/** The preferred address, else the one for work, else the first. */
function emailOf(core: Attributes): string | undefined {
  const emails = (Array.isArray(core['emails']) ? core['emails'] : []).filter(({ value }) => textOf(value) !== null);
  const isWork = ({ type }: Complex): boolean => String(type).toLowerCase() === 'work';
  const chosen = emails.find(({ primary }) => primary === true) ?? emails.find(isWork) ?? emails[0];
  return textOf(chosen?.['value']) ?? undefined;
}

function profileOfAccount({ email, firstName, lastName, title }: User): Profile {
  const name = { ...(firstName && { givenName: firstName }), ...(lastName && { familyName: lastName }) };
  return {
    ...(firstName && { displayName: firstName }),
    ...(title && { title }),
    ...(Object.keys(name).length > 0 && { name }),
    ...(email && { emails: [{ value: email, type: 'work', primary: true }] }),
  };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
