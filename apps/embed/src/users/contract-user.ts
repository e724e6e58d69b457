import type { Schemas } from '@plinth/contract';
import type { EmbedUser } from './embed-user.entity';

/** The user as the contract has them. */
export const toContractUser = (user: EmbedUser): Schemas['EmbedUser'] => ({
  id: user.id,
  username: user.externalId,
  email: user.shownEmail,
  externalId: user.externalId,
  firstName: user.displayName,
  createdAt: user.createdAt.toISOString(),
  lastLogin: user.lastLoginAt?.toISOString() ?? null,
});
