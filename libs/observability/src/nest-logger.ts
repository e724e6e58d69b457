import type { Logger } from './logger';

/** The five methods that Nest calls, without a dependency on Nest. */
export interface FrameworkLogger {
  log(message: unknown, ...rest: unknown[]): void;
  error(message: unknown, ...rest: unknown[]): void;
  warn(message: unknown, ...rest: unknown[]): void;
  debug(message: unknown, ...rest: unknown[]): void;
  verbose(message: unknown, ...rest: unknown[]): void;
}

/** Sends the framework's own lines through our logger; its chatter at start is debug. */
export const frameworkLogger = (logger: Logger): FrameworkLogger => ({
  log: (message, ...rest) => logger.debug({ rest }, String(message)),
  error: (message, ...rest) => logger.error({ rest }, String(message)),
  warn: (message, ...rest) => logger.warn({ rest }, String(message)),
  debug: (message, ...rest) => logger.debug({ rest }, String(message)),
  verbose: (message, ...rest) => logger.trace({ rest }, String(message)),
});
