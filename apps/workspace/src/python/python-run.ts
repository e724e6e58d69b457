import type { PythonOutcome } from '@plinth/python';
import type { Column } from '@plinth/queries';

/** What a program has made of rows. */
export interface PythonRun extends PythonOutcome {
  at: Date;
  inputRowCount: number;
  /** Those of the rows that it got. */
  columns: readonly Column[];
}
