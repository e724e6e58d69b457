import { AppError } from '@plinth/errors';

const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The token in an `Authorization` header: bare, as the public client sends it, or after `Bearer`.
 *
 * @throws AppError `data_token.missing`, `data_token.invalid` (403), as engines answer.
 */
export function dataTokenIn(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw new AppError('data_token.missing', 'Send a token of the deployment in the Authorization header');
  }
  const token = authorization.replace(/^Bearer +/i, '');
  if (JWT.test(token)) return token;
  const isKey = /^Api-Key |^sk-/i.test(token);
  throw new AppError(
    'data_token.invalid',
    isKey
      ? 'An API key opens no data API: take a token with POST /api/v1/deployments/{deploymentId}/token'
      : 'The Authorization header holds no token of the deployment',
  );
}
