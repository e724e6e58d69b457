import { AppError, type ErrorCode } from '@plinth/errors';

/** A row that another one does not allow. Repositories map it to an error of their area by its constraint. */
export class UniqueViolation extends Error {
  constructor(
    readonly constraint: string,
    options?: ErrorOptions,
  ) {
    super(`unique constraint ${constraint} is violated`, options);
    this.name = 'UniqueViolation';
  }

  /** The violation that a thrown value stands for; undefined for everything else. */
  static from(thrown: unknown): UniqueViolation | undefined {
    if (thrown instanceof UniqueViolation) return thrown;
    const { code, constraint } = fieldsOf(thrown);
    return code === '23505' ? new UniqueViolation(constraint ?? '', { cause: thrown }) : undefined;
  }
}

const RETRY_AFTER_SECONDS = 1;

/** SQLSTATEs and socket errors that say that the server cannot be reached or is going away. */
const CONNECTION_LOST =
  /^(08...|57P0[1-5]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** Messages of pg, its pool and TypeORM that carry no code. */
const CONNECTION_LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|query runner (was )?already released/i;

/** Whether the connection that raised this must not be used again. */
export function isConnectionLost(thrown: unknown): boolean {
  const { code, message } = fieldsOf(thrown);
  return CONNECTION_LOST.test(code ?? '') || CONNECTION_LOST_MESSAGE.test(message ?? '');
}

/** An error of PostgreSQL as the error that callers understand; whatever says nothing to them stays as it is. */
export function translateError(thrown: unknown): unknown {
  if (thrown instanceof AppError) return thrown;
  const violation = UniqueViolation.from(thrown);
  if (violation) return violation;
  const retryable = (code: ErrorCode, message: string): AppError =>
    new AppError(code, message, { cause: thrown, retryAfterSeconds: RETRY_AFTER_SECONDS });
  if (isConnectionLost(thrown)) return retryable('service.unavailable', 'The database cannot be reached');
  switch (fieldsOf(thrown).code) {
    case '40001':
    case '40P01':
    // What a new row belongs to was looked up before, and has gone meanwhile.
    case '23503':
      return retryable('service.collision', 'The change collided with another one');
    case '57014':
      return new AppError('service.deadline_exceeded', 'The database took too long', { cause: thrown });
    case '53100':
      return retryable('service.unavailable', 'The database has no space left');
    // PostgreSQL stores no null character, in text or in JSON.
    case '22021':
    case '22P05':
      return new AppError('request.invalid', 'Text must not hold the null character', { cause: thrown });
    default:
      return thrown;
  }
}

interface ErrorFields {
  code?: string;
  constraint?: string;
  message?: string;
}

const fieldsOf = (thrown: unknown): ErrorFields =>
  typeof thrown === 'object' && thrown !== null ? (thrown as ErrorFields) : {};
