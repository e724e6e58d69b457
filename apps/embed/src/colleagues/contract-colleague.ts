import type { Schemas } from '@plinth/contract';
import type { EmbedUser } from '../users';

/** An embed user as others of their embed tenant see them. */
export const toColleague = ({
  id,
  externalId,
  email,
  displayName,
}: Pick<EmbedUser, 'id' | 'externalId' | 'email' | 'displayName'>): Schemas['EmbedMentionableUserDto'] => ({
  id,
  username: externalId,
  email,
  firstName: displayName,
});
