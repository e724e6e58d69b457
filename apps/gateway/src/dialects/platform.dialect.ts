import type { AppError, ErrorDetail } from '@plinth/errors';
import { jsonContent } from './content';
import type { OperationDialect } from './dialect';

/** Error body of the platform's own API; `error` and `message` hold the same text for clients of either habit. */
export interface PlatformErrorBody {
  error: string;
  message: string;
  code: string;
  requestId: string;
  details?: readonly ErrorDetail[];
}

const noHeaders = {};

export const platformDialect: OperationDialect = {
  authorization: (header) => header,
  query: (_operation, given) => given,
  requireMediaType: () => undefined,
  passesRepliesOn: true,
  replyHead: ({ successStatus }) => ({ status: successStatus, headers: noHeaders }),
  replyContent: jsonContent,
  errorContent: (error, requestId) => jsonContent(platformErrorBody(error, requestId)),
};

const platformErrorBody = (error: AppError, requestId: string): PlatformErrorBody => ({
  error: error.message,
  message: error.message,
  code: error.code,
  requestId,
  ...(error.details && error.details.length > 0 && { details: error.details }),
});
