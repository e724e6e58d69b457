import { errorCodes, statusOf, type ErrorCode } from './error-codes';

/** One problem inside a request: a JSON pointer to the value and a sentence about it. */
export interface ErrorDetail {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  details?: readonly ErrorDetail[];
  /** What went wrong inside; logged, never sent to a client or over the bus. */
  cause?: unknown;
  /** Seconds after which the same request may succeed; becomes `Retry-After`. */
  retryAfterSeconds?: number;
}

/** What of an error crosses the bus. */
export interface WireError {
  code: ErrorCode;
  message: string;
  details?: readonly ErrorDetail[];
  retryAfterSeconds?: number;
}

/**
 * The one error type of the platform. `message` is public text; internal facts go into `cause`.
 * Services throw it, the bus carries it, and only the gateway turns it into a status and a body.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return statusOf(this.code);
  }

  /**
   * Whether the platform failed, rather than refused: what it does not offer or has no room for is no failure, nor are two
   * changes that met.
   */
  get isFailure(): boolean {
    return this.status >= 500 && this.status !== 501 && this.status !== 507 && this.code !== 'service.collision';
  }

  toWire(): WireError {
    return {
      code: this.code,
      message: this.message,
      ...(this.details && { details: this.details }),
      ...(this.retryAfterSeconds !== undefined && { retryAfterSeconds: this.retryAfterSeconds }),
    };
  }

  /** Rebuilds the error on the calling side; a code that this build does not know becomes `service.internal`. */
  static fromWire(wire: WireError): AppError {
    const code = wire.code in errorCodes ? wire.code : 'service.internal';
    return new AppError(code, wire.message, {
      ...(wire.details && { details: wire.details }),
      ...(wire.retryAfterSeconds !== undefined && { retryAfterSeconds: wire.retryAfterSeconds }),
    });
  }

  /** An `AppError` as it is; anything else becomes `service.internal` with the original as its cause. */
  static from(thrown: unknown): AppError {
    return thrown instanceof AppError
      ? thrown
      : new AppError('service.internal', 'Something went wrong on our side', { cause: thrown });
  }
}

/** 400 for one wrong value; `path` is a JSON pointer into the request, such as `/body/name`. */
export const invalidRequest = (path: string, message: string): AppError =>
  new AppError('request.invalid', `${path} ${message}`, { details: [{ path, message }] });
