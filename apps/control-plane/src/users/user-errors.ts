import { AppError } from '@plinth/errors';

export const userNotFound = (id?: number): AppError =>
  new AppError('user.not_found', id === undefined ? 'There is no such user' : `There is no user ${id}`);

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
  user_account_tenant_id_external_id_unique: () =>
    new AppError('user.external_id_taken', 'Another user has this external id already'),
};
