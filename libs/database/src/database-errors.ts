import { AppError } from '@plinth/errors';
import { QueryFailedError } from 'typeorm';

/** A row that would stand twice; repositories turn it into an error of their feature by the constraint's name. */
export class UniqueViolation extends Error {
  constructor(
    readonly constraint: string,
    cause: unknown,
  ) {
    super(`A row breaks the constraint ${constraint}`, { cause });
    this.name = 'UniqueViolation';
  }
}

interface DriverError {
  code?: string;
  constraint?: string;
}

const driverErrorOf = (error: unknown): DriverError =>
  (error instanceof QueryFailedError ? error.driverError : error) as DriverError;

/** Connection errors (08), shutdown (57P), too many connections (53), serialization failure and deadlock (40). */
const isTransient = (code: string): boolean =>
  /^(08|53|57P|40)/.test(code) || ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code);

/** What an error of the driver means to the platform; anything unknown passes unchanged. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof UniqueViolation) return error;
  const { code = '', constraint = '' } = driverErrorOf(error) ?? {};
  if (code === '23505') return new UniqueViolation(constraint, error);
  if (code === '57014') {
    return new AppError('service.deadline_exceeded', 'The database took too long', { cause: error });
  }
  if (isTransient(code) || isLostConnection(error)) {
    return new AppError('service.unavailable', 'The database is not reachable at the moment', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  return error;
}

const isLostConnection = (error: unknown): boolean =>
  error instanceof Error && /Connection terminated|timeout exceeded when trying to connect/.test(error.message);
