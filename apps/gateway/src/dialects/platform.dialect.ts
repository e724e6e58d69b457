import type { AppError, ErrorDetail } from '@plinth/errors';

/** Error body of the platform's own API; `error` and `message` hold the same text for clients of either habit. */
export interface PlatformErrorBody {
  error: string;
  message: string;
  code: string;
  requestId: string;
  details?: readonly ErrorDetail[];
}

export const platformErrorBody = (error: AppError, requestId: string): PlatformErrorBody => ({
  error: error.message,
  message: error.message,
  code: error.code,
  requestId,
  ...(error.details && error.details.length > 0 && { details: error.details }),
});
