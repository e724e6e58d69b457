import type { OperationDescription } from '@plinth/contract';
import type { IncomingMessage } from 'node:http';

/** What a service checks itself, as with a signed webhook: declared headers, and the bytes of the body. */
export interface RequestAsItCame {
  headers?: Record<string, string>;
  /** In base64, for operations with `x-raw-body`. */
  rawBody?: string;
}

/** The parts of a request that its operation wants unread. A header that came more than once is left out. */
export function asItCame(
  { headerParameters, rawBody }: OperationDescription,
  request: Pick<IncomingMessage, 'headers'>,
  body: Buffer,
): RequestAsItCame {
  const headers = headerParameters?.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return {
    ...(headers && { headers: Object.fromEntries(headers) }),
    ...(rawBody && { rawBody: body.toString('base64') }),
  };
}
