import { AppError, type ErrorCode } from '@plinth/errors';
import { secondsToWait } from './github-fetch';

/** What of an octokit error is safe to look at: its request carries credentials. */
interface Refusal {
  status: number;
  response?: { headers: Record<string, string | number | undefined>; data?: { message?: unknown } };
}

const isRefusal = (error: unknown): error is Error & Refusal =>
  error instanceof Error && 'status' in error && typeof error.status === 'number';

/** What a missing thing is called: the code and the sentence of the 404. */
export interface Missing {
  code: Extract<ErrorCode, `github.${string}_not_found`>;
  message: string;
}

/**
 * Answers of GitHub as errors of the platform. Neither the public text nor the cause holds what GitHub was sent.
 *
 * @returns `github.unavailable` (503) with the seconds to wait, the 404 of what is missing,
 *   `github.installation_suspended` (409), or `github.refused` (403)
 */
export function toAppError(error: unknown, missing: Missing): AppError {
  if (error instanceof AppError) return error;
  if (!isRefusal(error)) return unavailable(error instanceof Error ? error.name : 'unknown failure');
  const { status, response } = error;
  const seconds = response && secondsToWait(status, headersOf(response));
  if (!response || status >= 500 || seconds !== undefined) return unavailable(`status ${status}`, seconds);
  return toRefusal(status, String(response.data?.message), missing);
}

function toRefusal(status: number, reason: string, missing: Missing): AppError {
  if (status === 404 || status === 422) return new AppError(missing.code, missing.message);
  if (status === 403 && /suspended/i.test(reason)) return suspended();
  const message =
    status === 401
      ? 'GitHub does not accept the credentials of the GitHub App'
      : 'The GitHub App is not allowed to do this; check its permissions';
  return new AppError('github.refused', message, { cause: new Error(`GitHub: status ${status}`) });
}

export const suspended = (): AppError =>
  new AppError('github.installation_suspended', 'The installation is suspended at GitHub');

const RETRY_SECONDS = 5;

export const unavailable = (cause: string, retryAfterSeconds = RETRY_SECONDS): AppError =>
  new AppError('github.unavailable', 'GitHub does not answer or asks to wait; try again', {
    cause: new Error(`GitHub: ${cause}`),
    retryAfterSeconds: Math.ceil(retryAfterSeconds),
  });

const headersOf = ({ headers }: NonNullable<Refusal['response']>): Pick<Headers, 'get'> => ({
  get: (name) => (headers[name] === undefined ? null : String(headers[name])),
});
