import { AppError, type ErrorCode } from '@plinth/errors';
import {
  InvalidRemoteUrlError,
  RemoteAuthenticationError,
  RemoteContentError,
  RemoteError,
  RemoteRejectedError,
  RemoteTooLargeError,
} from '@plinth/git';

const CODES: readonly [new (...args: never[]) => Error, ErrorCode][] = [
  [InvalidRemoteUrlError, 'remote.invalid_url'],
  [RemoteAuthenticationError, 'remote.authentication_failed'],
  [RemoteTooLargeError, 'remote.too_large'],
  [RemoteContentError, 'remote.content_refused'],
  [RemoteRejectedError, 'remote.branch_not_found'],
  [RemoteError, 'remote.unreachable'],
];

/** What a client may know of a failed connection; other errors stay what they are. */
export function toRemoteAppError(error: unknown): unknown {
  const known = CODES.find(([type]) => error instanceof type);
  return known && error instanceof Error ? new AppError(known[1], error.message, { cause: error }) : error;
}

/** The sentence that a reader of the remote's state gets; undefined for failures that are not about the remote. */
export function textOf(error: unknown): string | undefined {
  const shown = toRemoteAppError(error);
  return shown instanceof AppError && !shown.isFailure ? shown.message : undefined;
}

/** The `result` label of the metric. */
export function resultOf(error: unknown): string {
  const shown = toRemoteAppError(error);
  if (!(shown instanceof AppError)) return 'error';
  return error instanceof RemoteRejectedError ? 'rejected' : shown.code.replace(/^.*\./, '');
}
