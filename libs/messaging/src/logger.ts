/** What the bus needs of a logger; pino's and the platform's own satisfy it. */
export interface BusLogger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}
