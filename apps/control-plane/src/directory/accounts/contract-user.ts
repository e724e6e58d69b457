import type { Schemas } from '@plinth/contract';
import type { User } from '../../people';
import type { HeldRole } from '../../rights';

const statusOf = ({ deactivatedAt, joinedAt }: User): Schemas['UserStatus'] =>
  deactivatedAt ? 'DEACTIVATED' : joinedAt ? 'ACTIVE' : 'INVITED';

/** The user as the contract shows it, with the roles that they hold. */
export const toContractUser = (user: User, roles: readonly HeldRole[] = []): Schemas['User'] => ({
  id: user.id,
  email: user.email,
  username: user.username,
  firstName: user.firstName,
  title: user.title,
  picture: user.picture,
  isAdmin: user.isAdmin,
  isDeactivated: user.deactivatedAt !== null,
  status: statusOf(user),
  externalId: user.externalId,
  defaultRoles: roles.filter(({ isBuiltIn }) => isBuiltIn).map(({ name }) => name),
  notifications: Object.fromEntries(user.notifications.map((name) => [name, true])),
  settings: user.settings,
  tosAccepted: user.tosAccepted,
  createdAt: user.createdAt.toISOString(),
  updatedAt: user.updatedAt.toISOString(),
  lastLogin: user.lastLoginAt?.toISOString() ?? null,
});
