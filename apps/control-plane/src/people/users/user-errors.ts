import { AppError } from '@plinth/errors';
import type { User } from './user.entity';

export const userNotFound = (id?: number): AppError =>
  new AppError('user.not_found', id === undefined ? 'There is no such user' : `There is no user ${id}`);

/** Refuses to let people have a password who may not sign in, or who sign in at the identity provider alone. */
export function requirePasswordAccount({ deactivatedAt, isExternal }: User): void {
  if (deactivatedAt || isExternal) throw noPassword();
}

export const noPassword = (): AppError =>
  new AppError('user.has_no_password', 'A user who is deactivated or signs in elsewhere has no password');

/** @throws AppError `auth.credential_invalid` (401) for a credential that belongs to nobody. */
export function ownUser(user: User | null): User {
  if (!user) throw callerIsNobody();
  return user;
}

export const callerIsNobody = (): AppError =>
  new AppError('auth.credential_invalid', 'The credential belongs to no user');

export const ownAccount = (): AppError =>
  new AppError('user.own_account', 'You cannot deactivate, demote or delete yourself');

export const lastAdmin = (): AppError =>
  new AppError('user.last_admin', 'This is the last active administrator of the account');

/** What a violated unique constraint of accounts means. */
export const takenByAnotherUser = {
  user_account_tenant_id_email_unique: () =>
    new AppError('user.email_taken', 'Another user has this email address already'),
  user_account_tenant_id_username_unique: () =>
    new AppError('user.username_taken', 'Another user has this username already'),
};
