import type { BodyOf } from '@plinth/contract';
import type { User } from '../../people';

const fields = ['firstName', 'title', 'picture', 'tosAccepted', 'embedTheme', 'securityContext'] as const;

/** The columns that a request changes. An absent field stays; null empties one that may be empty. */
export function changesOf(user: User, body: BodyOf<'updateUser'>): Partial<User> {
  const given = fields.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]);
  const { isDeactivated } = body;
  return {
    ...(Object.fromEntries(given) as Partial<User>),
    isAdmin: body.isAdmin ?? user.isAdmin,
    notifications: body.notifications === undefined ? user.notifications : (body.notifications ?? []),
    ...(isDeactivated === false && { deactivatedAt: null }),
    ...(isDeactivated === true && { deactivatedAt: user.deactivatedAt ?? new Date() }),
  };
}
