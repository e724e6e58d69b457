import { withoutCredentials } from '@plinth/redaction';

/** What of an error goes into a log line. */
export interface ErrorDescription {
  name: string;
  message: string;
  code?: string | number;
  stack?: string;
  cause?: unknown;
  errors?: unknown[];
}

const LONGEST_TEXT = 8_192;
/** Causes of causes, and errors of an `AggregateError`, that are followed. */
const MOST_DEEP = 5;
const MOST_ERRORS = 5;

/**
 * An error for the log, with its causes. Nothing but these fields: errors of libraries carry requests, parameters and
 * settings along. Credentials that show by their form are hidden. What is no error stays as it is.
 */
export function describeError(thrown: unknown, depth = 0): unknown {
  if (typeof thrown === 'string') return withoutCredentials(thrown, LONGEST_TEXT);
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause } = thrown;
  const { code, errors } = thrown as Error & { code?: unknown; errors?: unknown };
  const description: ErrorDescription = { name, message: withoutCredentials(message, LONGEST_TEXT) };
  if (typeof code === 'string' || typeof code === 'number') description.code = code;
  if (stack !== undefined) description.stack = withoutCredentials(stack, LONGEST_TEXT);
  if (depth >= MOST_DEEP) return description;
  if (cause !== undefined) description.cause = describeError(cause, depth + 1);
  if (Array.isArray(errors)) {
    description.errors = errors.slice(0, MOST_ERRORS).map((error) => describeError(error, depth + 1));
  }
  return description;
}
