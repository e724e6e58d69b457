import type { Principal } from '@plinth/auth';
import { AppError } from '@plinth/errors';
import type { TokenOwner } from './user-oauth-tokens.repository';

/**
 * The calling user as the owner of a token: nobody ever asks for somebody else's.
 *
 * @throws AppError `access.denied` (403) when nobody in particular calls.
 */
export function ownToken(principal: Principal, integrationId: number): TokenOwner {
  return { tenantId: principal.tenantId, userId: ownUserId(principal), integrationId };
}

export function ownUserId(principal: Principal): number {
  if (principal.userId === null) throw new AppError('access.denied', 'Only a user can authorise an integration');
  return principal.userId;
}
