import type { OperationDescription, RawParameters } from '@plinth/contract';
import type { AppError } from '@plinth/errors';
import type { Request } from 'express';
import type { Content } from './content';

/** How failures are told to those who ask in it: every request has one from its arrival on. */
export interface Dialect {
  errorContent(error: AppError, requestId: string): Content;
  /** What is told in place of a 404 at the path. */
  missing?(error: AppError, path: string): AppError;
  /** `WWW-Authenticate` of the error; undefined for what every 401 has. @param origin that was asked. */
  challenge?(error: AppError, origin: string): string | undefined;
}

/** Status and headers of a reply beside those of its body. */
export interface ReplyHead {
  status: number;
  headers: Readonly<Record<string, string>>;
}

/** How the requests and replies of operations are written. The contract says which operation has which. */
export interface OperationDialect extends Dialect {
  /** The `Authorization` header as the platform would have it. */
  authorization(header: string | undefined): string | undefined;
  /** @throws AppError for what a browser sends that another site has made to. */
  requireSite?(request: Request): void;
  /** The query with the names of the contract. */
  query(operation: OperationDescription, given: RawParameters): RawParameters;
  /** @throws AppError `request.unsupported_media_type` (415) for JSON that has to come under another type. */
  requireMediaType(contentType: string | undefined): void;
  /** Whether the body of a reply is what the service has made; nothing but whether there is one is asked of it then. */
  passesRepliesOn?: boolean;
  replyHead(operation: OperationDescription, path: string, body: unknown): ReplyHead;
  replyContent(body: unknown): Content;
}
