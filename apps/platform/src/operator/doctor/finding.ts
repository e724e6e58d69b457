/** What was found of one thing that an installation needs. `off` is what the settings do without. */
export interface Finding {
  state: 'ok' | 'off' | 'warn' | 'fail';
  /** What is there, in a few words. */
  found: string;
  /** What the operator does about it. */
  todo?: string;
}

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const off = (found: string): Finding => ({ state: 'off', found });
export const warn = (found: string, todo: string): Finding => ({ state: 'warn', found, todo });
export const fail = (found: string, todo: string): Finding => ({ state: 'fail', found, todo });

/** An error on one line. */
export function lineOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(lineOf).join('; ');
  return (error instanceof Error ? error.message : String(error)).replace(/\s*\n\s*/g, '; ');
}
