import { HIDDEN } from '@plinth/redaction';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import { describeError } from './error-description';
import { requestContext } from './request-context';

export type Logger = PinoLogger;

/** Keys whose values never reach a log line, at any of the first three depths. */
const secretKeys = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'apiKey',
  'api_key',
  'clientSecret',
  'databaseUrl',
  'encryptionKeys',
  'cubeApiToken',
  'securityContext',
  'security_context',
];

const secretPaths = secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);

/**
 * Structured log lines (JSON) with the service's name, the request id of the request being served, errors with their
 * causes, and secrets replaced by `[HIDDEN]`. Lines go to standard output unless a destination is given.
 */
export function createLogger(service: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError, cause: describeError },
    redact: { paths: secretPaths, censor: HIDDEN },
    mixin: () => {
      const context = requestContext();
      return context ? { requestId: context.requestId, operationId: context.operationId } : {};
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
