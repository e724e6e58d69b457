import type { NamedStatement } from './named-statement';

/** How repositories send a statement; for this library. */
export const send = Symbol('send');

/**
 * Where repositories read: in a transaction, or by statements that are a transaction each, as `Database.reader` has them. Both
 * see what was committed before each statement.
 */
export interface Reader {
  readonly tenantId: number | null;
  [send]<Row>(statement: NamedStatement, values: readonly unknown[]): Promise<Row[]>;
}
