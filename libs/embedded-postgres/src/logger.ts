/** Takes what PostgreSQL reports and what is done about it; pino's loggers fit. */
export interface PostgresLogger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

const ignore = (): void => undefined;

export const silentLogger: PostgresLogger = { info: ignore, warn: ignore, error: ignore };
