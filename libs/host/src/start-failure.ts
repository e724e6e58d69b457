import { ConfigError } from '@plinth/config';
import { MissingKeysError } from '@plinth/database';
import { AppError } from '@plinth/errors';

/** Why a process could not start: what an operator can act on in a sentence, other errors with all they know. */
export function startFailure(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(startFailure).join('; ');
  if (error instanceof AppError) return [error.message, ...causeOf(error)].join(': ');
  if (isSystemError(error) && error.code === 'EADDRINUSE') {
    return `another program uses ${error.address}:${error.port}. Stop it, or choose another port with PLINTH_PORT or PLINTH_OPERATIONS_PORT.`;
  }
  const isKnown =
    error instanceof ConfigError ||
    error instanceof MissingKeysError ||
    isSystemError(error) ||
    isRefusalOfPostgres(error);
  return isKnown ? error.message : String((error as Error | undefined)?.stack ?? error);
}

const causeOf = ({ cause }: AppError): string[] => (cause === undefined ? [] : [startFailure(cause)]);

const isSystemError = (error: unknown): error is NodeJS.ErrnoException & { address?: string; port?: number } =>
  error instanceof Error && 'syscall' in error;

/** A wrong password, say: PostgreSQL's own words, which name no secret. */
const isRefusalOfPostgres = (error: unknown): error is Error => error instanceof Error && 'severity' in error;
