import type { AppError } from '@plinth/errors';
import { jsonContent } from './content';
import type { Dialect } from './dialect';

/** Error body of OAuth 2.0 (RFC 6749, 5.2); `error` is a code for programs. */
export interface OAuthErrorBody {
  error: string;
  error_description: string;
}

const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  413: 'invalid_request',
  415: 'invalid_request',
  429: 'slow_down',
  503: 'temporarily_unavailable',
  504: 'temporarily_unavailable',
};

export const oauthErrorBody = (error: Pick<AppError, 'status' | 'message'>): OAuthErrorBody => ({
  error: codes[error.status] ?? (error.status >= 500 ? 'server_error' : 'invalid_request'),
  error_description: error.message,
});

/** For programs that ask the authorization server. */
export const oauthDialect: Dialect = { errorContent: (error) => jsonContent(oauthErrorBody(error)) };
